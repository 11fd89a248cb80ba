/** A channel that answers at once with 1 KiB: what is measured is the engine, not a provider. */
import { MODELS, type Channel } from "@safelight/core"

export function createInstantChannel(concurrency = 256): Channel {
  const bytes = new Uint8Array(1024).fill(7)
  return {
    name: "instant",
    models: MODELS.map(({ id }) => id),
    submission: { kind: "keyed", keyTtlMs: 86_400_000 },
    concurrency,
    submitTimeoutMs: 10_000,
    submit: async () => ({
      kind: "completed",
      operation: { id: "instant" },
      outputs: [{ mimeType: "image/png", open: () => once(bytes) }],
    }),
    poll: () => Promise.reject(new Error("an instant channel is never polled")),
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
