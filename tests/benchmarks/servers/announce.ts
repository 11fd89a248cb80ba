/**
 * How a server of the benchmarks tells its parent where it listens, and ends with it. Asked for its
 * "processor time", it answers with that of all its threads so far, in microseconds.
 */
export function announce(message: Readonly<Record<string, unknown>>): void {
  process.send?.(message)
  process.on("disconnect", () => process.exit(0))
  process.on("message", (question) => {
    if (question !== "processor time") return
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
  })
}
