/** The addresses of the task API, from `/v1` on. */

export const TASKS_PATH = "/v1/tasks"

/** Throws a `TypeError` if the id is empty or consists of dots. */
export function toTaskPath(id: string): string {
  return `${TASKS_PATH}/${toSegment(id, "the task's id")}`
}

/** Throws a `TypeError` if the id or the key is empty or consists of dots. */
export function toArtifactPath(task: string, key: string): string {
  return `${toTaskPath(task)}/artifacts/${toSegment(key, "the artifact's key")}`
}

/** Undefined values are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? path : `${path}?${search.toString()}`
}

/** `.` and `..` would change the path, even if they are encoded. */
function toSegment(text: string, what: string): string {
  if (typeof text !== "string" || /^\.{0,2}$/.test(text)) {
    throw new TypeError(`${what} is not one`)
  }
  return encodeURIComponent(text)
}
