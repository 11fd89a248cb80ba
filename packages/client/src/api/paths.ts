/** The addresses of the task API, from `/v1` on. */

export const TASKS_PATH = "/v1/tasks"

/** Throws a `TypeError` for what is no id. */
export function toTaskPath(id: string): string {
  return `${TASKS_PATH}/${toSegment(id, "the task's id")}`
}

/** Throws a `TypeError` for what is no id or no key. */
export function toArtifactPath(task: string, key: string): string {
  return `${toTaskPath(task)}/artifacts/${toSegment(key, "the artifact's key")}`
}

/** What is undefined is left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? path : `${path}?${search.toString()}`
}

/** A segment of dots would name another path, encoded or not. */
function toSegment(text: string, what: string): string {
  if (typeof text !== "string" || /^\.{0,2}$/.test(text)) {
    throw new TypeError(`${what} is missing or not one`)
  }
  return encodeURIComponent(text)
}
