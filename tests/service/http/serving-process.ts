/** `served-process.ts`, seen from the test that started it. */
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { HttpSettings } from "@safelight/http"
import type { MemoryReport, Served } from "./served-process.ts"

export interface ServingProcess extends Served, AsyncDisposable {
  readonly child: ChildProcess
  memory(): Promise<MemoryReport>
}

/** Resolves once it listens. `execArgv` are flags of its Node, such as its heap's size. */
export async function startServingProcess(
  settings: Partial<HttpSettings> = {},
  execArgv: readonly string[] = [],
): Promise<ServingProcess> {
  const file = join(import.meta.dirname, "served-process.ts")
  const flags = ["--conditions=@safelight/source", ...execArgv]
  const child = fork(file, [JSON.stringify(settings)], { execArgv: flags })
  const ended = once(child, "exit").then(([code, signal]) => {
    throw new Error(`the serving process ended: ${String(code ?? signal)}`)
  })
  ended.catch(ignoreUnlessAsked)

  /** What it says next; rejects where it has ended. */
  async function hear<Said>(): Promise<Said> {
    const [said] = (await Promise.race([once(child, "message"), ended])) as [Said]
    return said
  }
  const served = await hear<Served>()
  return {
    ...served,
    child,
    memory() {
      if (child.connected) child.send("memory")
      return hear<MemoryReport>()
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, "exit")
      child.disconnect()
      await exited
    },
  }
}

/** Who waits for a message hears of the end; nobody else has to. */
function ignoreUnlessAsked(): void {}
