/**
 * Work on any number of rows, a page a commit: submissions wait for each commit, and an endpoint may have left a
 * million deliveries.
 */
const PAGE = 500

/** Does `page` until it finds fewer rows than it may; resolves to how many there were in all. */
export async function repeatPages(page: (limit: number) => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    // oxlint-disable-next-line no-await-in-loop
    const count = await page(PAGE)
    all += count
    if (count < PAGE) return all
  }
}
