/** Runs `close` once, at the first SIGTERM or SIGINT; the process ends when nothing is left to do. */
export function onStop(close: () => Promise<void>): void {
  const stop = () => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.off(signal, stop)
    void close()
  }
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop)
}
