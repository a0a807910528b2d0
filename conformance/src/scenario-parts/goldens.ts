/** The model answers at once, in words. */
export const answered = `
  step 1 stop: text
  completed answer
`

/** It does so in two runs. */
export const answeredTwice = `
  run 1
    step 1 stop: text
    completed answer
  run 2
    step 1 stop: text
    completed answer
`
