/** What the scenarios' tools do, by name: where a provider takes no such name, a simulator finds them by it. */
export const toolDescriptions: Readonly<Record<string, string>> = {
  get_weather: 'Current weather of a city',
  get_time: 'Current time in a time zone',
  lookup_order: 'Status of an order',
  list_alerts: 'All alerts that are open',
  restart_job: 'Restarts a job',
  take_photo: 'Takes a photo of a city',
  fail: 'Fails with the given reason',
  book_seat: 'Books one seat',
  plan_trip: 'Plans a trip by train.\n\nAsk for the class first; "second" is cheaper. 🚆 東京まで。',
  output_structured_data: 'Gives the final answer to the user. Call it once, when you have everything.',
}
