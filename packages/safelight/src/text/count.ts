/** `1 task`, `2 tasks`. */
export function formatCount(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`
}
