/** One process after the other over the same storage: a call is made again wherever its process died. */
import type { Engine } from "@safelight/engine"
import type { CallbackReceiver } from "./callback-receiver.ts"
import type { DrivenClock } from "./driven-clock.ts"
import type { MortalProcess } from "./mortal-process.ts"

export interface Boots {
  /** What comes of a call to the engine; called again at the next boot where the process dies. */
  carryOut<Result>(call: (engine: Engine) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

interface BootsOptions {
  readonly clock: DrivenClock
  /** Takes webhooks in for whichever is alive. */
  readonly receiver: CallbackReceiver
  /** How long after a death nobody is there. */
  readonly downMs: number
}

export async function createBoots(
  { clock, downMs, receiver }: BootsOptions,
  boot: () => Promise<MortalProcess>,
): Promise<Boots> {
  const processes: MortalProcess[] = []

  async function bootNext(): Promise<MortalProcess> {
    const process = await boot()
    processes.push(process)
    receiver.process = process
    return process
  }
  let current = await bootNext()

  return {
    async carryOut<Result>(call: (engine: Engine) => Promise<Result>): Promise<Result> {
      for (;;) {
        const process = current
        let ended: { readonly result: Result } | undefined
        let failed: { readonly error: unknown } | undefined
        call(process.engine).then(
          (result) => (ended = { result }),
          (error: unknown) => (failed = { error }),
        )
        await clock.runUntil(() => process.isDead() || ended !== undefined || failed !== undefined)
        if (failed !== undefined) throw failed.error
        if (ended !== undefined) return ended.result
        receiver.process = null
        if (downMs > 0) await clock.pass(downMs)
        current = await bootNext()
      }
    },
    async close() {
      receiver.process = null
      let isClosed = false
      const closing = Promise.all(processes.map((each) => each.close()))
      void closing.finally(() => (isClosed = true))
      await clock.runUntil(() => isClosed)
      await closing
    },
  }
}
