/** How a model at Groq thinks: `gpt-oss` always, `qwen` unless it is told not to, the others never. https://console.groq.com/docs/reasoning */
export function modelFamily(model: string): 'gpt-oss' | 'qwen' | 'other' {
  if (model.includes('gpt-oss')) return 'gpt-oss'
  return model.includes('qwen3') ? 'qwen' : 'other'
}
