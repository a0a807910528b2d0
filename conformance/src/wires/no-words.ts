/** Why there are no words for a scenario; as `WireKit.noWords` holds them. */
export const noWordForFilters = 'This wire has no word for an answer that a filter stops.'
export const noNameForFilters = 'None of this provider’s finish reasons stands for a filter.'
export const oneWordForFilters = 'There is one word for all filters: `content-filter` shows it.'
export const wholeCalls =
  'A call that the token limit cuts does not appear on this wire: calls come whole or not at all.'
export const inputsAreObjects = 'Arguments are an object on this wire: a text that is no JSON cannot be sent.'
export const statusAlone = 'Its errors name their kind by the status alone, and 200 says nothing.'
export const noWordForFiles = 'Answers have no place for files.'
export const refusalIsText = 'This wire has no words for a refusal: it is text.'
export const refusalIsFiltered = 'This wire has no words for a refusal: the answer ends as if it was filtered.'
