/** The order of ids: by code points, as databases order text; JavaScript compares UTF-16 units. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
