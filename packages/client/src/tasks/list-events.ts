/** Reads a task's log to its end, page by page. */
import type { Connection } from "../connection/connection.ts"
import { readPages } from "../connection/read-pages.ts"
import { withQuery } from "../api/paths.ts"
import type { CallOptions } from "./list-tasks.ts"

interface EventPage {
  readonly events: readonly unknown[]
  readonly next_cursor: string | null
}

/** `path`: of the task. */
export async function listEvents<Page extends EventPage>(
  connection: Connection,
  path: string,
  check: (value: unknown) => value is Page,
  { signal }: CallOptions,
): Promise<Page["events"][number][]> {
  const read = (cursor: string | undefined): Promise<Page> =>
    connection.read(withQuery(`${path}/events`, { cursor }), check, { signal })
  const events: Page["events"][number][] = []
  for await (const page of readPages("the list of events", read)) events.push(...page.events)
  return events
}
