/**
 * The address that a stub's webhooks go to: it hands each to the engine of whichever process is alive,
 * as the service's callback endpoint does, and breaks the connection where none is or where it dies
 * over it. What would be missed: a webhook counts as under way until it is answered, but what an engine
 * does about it may have to wait, so that this part of its way counts as the engine's own calls do.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { isSafelightError, type CallbackResult, type ReceiveCallbackRequest } from "@safelight/core"
import type { Engine } from "@safelight/engine"
import type { DrivenClock } from "./driven-clock.ts"
import type { MortalProcess } from "./mortal-process.ts"

export interface CallbackReceiver extends AsyncDisposable {
  readonly url: string
  /** Who takes webhooks in from now on; null for nobody. */
  process: MortalProcess | null
  /** What an engine threw that no port may reject with. */
  readonly assertions: readonly unknown[]
  /** Every webhook that came, as it came and once more with half of its body; to what became of those. */
  repeatAll(this: void, engine: Engine): Promise<readonly CallbackResult[]>
}

type Message = Omit<ReceiveCallbackRequest, "readBody"> & { readonly body: Uint8Array }

const STATUS: Readonly<Record<CallbackResult, number>> = { taken: 204, unknown: 404, forged: 401 }
const PATH = /^\/v1\/channels\/([^/]+)\/callback\/([^/]+)$/

export async function openCallbackReceiver(clock: DrivenClock): Promise<CallbackReceiver> {
  const messages: Message[] = []
  const assertions: unknown[] = []

  /** The status of the answer; null for none. */
  async function answer(message: Message, process: MortalProcess): Promise<number | null> {
    const { dead, engine } = process
    if (dead.aborted) return null
    const died = new Promise<null>((resolve) => {
      dead.addEventListener("abort", () => resolve(null), { once: true })
    })
    try {
      return await Promise.race([give(engine, message).then((result) => STATUS[result]), died])
    } catch (error) {
      if (!isSafelightError(error)) assertions.push(error)
      return isSafelightError(error) ? 503 : 500
    }
  }

  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://receiver")
    const [, channel, key] = PATH.exec(pathname) ?? []
    if (channel === undefined || key === undefined) return response.writeHead(404).end()
    const headers = request.headers as Readonly<Record<string, string>>
    const query = Object.fromEntries(searchParams)
    const message = { channel, key: decodeURIComponent(key), headers, query, body }
    messages.push(message)
    const { process } = receiver
    const status = process && (await clock.uncounted(() => answer(message, process)))
    return status === null ? response.destroy() : response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const receiver: CallbackReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    process: null,
    assertions,
    async repeatAll(engine) {
      const whole = [...messages]
      for (const message of whole) {
        await give(engine, message).catch(requireSafelightError)
      }
      const cut = whole.map((each) => ({
        ...each,
        body: each.body.subarray(0, each.body.length / 2),
      }))
      return Promise.all(cut.map((message) => give(engine, message)))
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}

function give(engine: Engine, { body, ...message }: Message): Promise<CallbackResult> {
  return engine.receiveCallback({ ...message, readBody: async () => body })
}

function requireSafelightError(error: unknown): void {
  if (!isSafelightError(error)) throw error
}
