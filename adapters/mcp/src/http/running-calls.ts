/** The calls that are being answered, so that a cancellation, which is a request of its own, finds its call. */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"

export interface RunningCalls {
  /** Returns how to forget it. A call without a name is never found. */
  add(call: string | undefined, transport: Transport): () => void
  /** Hands the cancellation to the call and its repetitions, whose answers end. */
  deliver(call: string | undefined, message: JSONRPCMessage): void
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, Set<Transport>>()
  return {
    add(call, transport) {
      if (call === undefined) return () => {}
      const own = running.get(call) ?? new Set()
      running.set(call, own.add(transport))
      return () => {
        own.delete(transport)
        if (own.size === 0) running.delete(call)
      }
    },
    deliver(call, message) {
      for (const transport of running.get(call ?? "") ?? []) {
        transport.onmessage?.(message)
        // A cancelled request is not answered, so nothing else would end its stream.
        void Promise.resolve().then(() => transport.close())
      }
    },
  }
}
