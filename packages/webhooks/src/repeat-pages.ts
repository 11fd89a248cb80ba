/**
 * Work on any number of rows, a page a commit: submissions wait for each commit, and an endpoint may have left a
 * million deliveries.
 */
const PAGE = 500

/** Does `page` until it finds fewer rows than it may, or `most`; resolves to how many there were in all. */
export async function repeatPages(
  page: (limit: number) => Promise<number>,
  most = Infinity,
): Promise<number> {
  let all = 0
  while (all < most) {
    const limit = Math.min(PAGE, most - all)
    // oxlint-disable-next-line no-await-in-loop
    const count = await page(limit)
    all += count
    if (count < limit) break
  }
  return all
}
