/** Servers of the benchmarks run in processes of their own, so that client and server share no thread. */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

export interface ChildServer<Announcement> extends AsyncDisposable {
  readonly announcement: Announcement
  readonly process: ChildProcess
  /** The processor time of all its threads since it started, in microseconds. */
  readonly cpuMicros: () => Promise<number>
}

/** Starts `servers/<name>.ts` and resolves to what it announces. */
export async function startServer<Announcement>(
  name: string,
  ...argv: readonly string[]
): Promise<ChildServer<Announcement>> {
  const child = fork(join(import.meta.dirname, "servers", `${name}.ts`), argv)
  const [announcement] = (await once(child, "message")) as [Announcement]
  return {
    announcement,
    process: child,
    async cpuMicros() {
      child.send("processor time")
      const [micros] = (await once(child, "message")) as [number]
      return micros
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, "exit")
    },
  }
}
