/** The form of a task's id in an address. A storage takes other ids too; a front end looks none of them up. */
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether the text can name a task at all: a UUID in lower case. */
export function isTaskId(text: string): boolean {
  return TASK_ID.test(text)
}
