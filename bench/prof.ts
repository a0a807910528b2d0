// usage: node prof.ts ROOT WORKLOAD SECONDS
const [root, id, seconds] = process.argv.slice(2)
const { workloads } = await import(`${root}/bench/answers.ts`)
const { programOf } = await import(`${root}/bench/measure.ts`)
const { steploop } = await import(`${root}/bench/contestants/steploop.ts`)
const run = programOf(steploop, workloads.find((w: any) => w.id === id))
for (let i = 0; i < 30; i++) await run()
const begun = process.cpuUsage(); const t = Date.now(); let n = 0
while (Date.now() - t < Number(seconds) * 1000) { await run(); n++ }
const { user, system } = process.cpuUsage(begun)
console.log(id, root.split('/').at(-1), ((user + system) / 1000 / n).toFixed(4), 'ms cpu/run', n)
