/** The model answers at once, in words. */
export const answered = `
  step 1 stop: text
  completed answer
`

/** Golden of an answer in each of two runs. */
export const answeredTwice = `
  run 1
    step 1 stop: text
    completed answer
  run 2
    step 1 stop: text
    completed answer
`
