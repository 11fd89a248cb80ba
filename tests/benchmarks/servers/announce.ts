/** How a server of the benchmarks tells its parent where it listens, and ends with it. */
export function announce(message: Readonly<Record<string, unknown>>): void {
  process.send?.(message)
  process.on("disconnect", () => process.exit(0))
}
