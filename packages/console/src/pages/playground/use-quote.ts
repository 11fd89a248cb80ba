/** The price of what the form holds, asked for once the reader pauses. An older answer never replaces a newer one. */
import { isApiError, type ApiError, type Client, type Quote } from "@safelight/client"
import { useSignal, type ReadonlySignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Order } from "./code-lines.ts"

export interface Quoted {
  readonly quote?: Quote
  readonly error?: ApiError
}

/** Shorter than a pause between two words is asked for too often, longer feels slow. */
const PAUSE_MS = 350

/** A quote is replaced before it ends, so that what is shown can be submitted. */
const EARLIER_MS = 10_000

/** `order` is undefined while something required is missing. */
export function useQuote(client: Client, order: Order | undefined): ReadonlySignal<Quoted> {
  const quoted = useSignal<Quoted>({})
  const text = order && JSON.stringify(order)
  useEffect(() => {
    if (order === undefined) {
      quoted.value = {}
      return undefined
    }
    const abort = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        const { model, parameters } = order
        const quote = await client.quote(model, parameters, { signal: abort.signal })
        // It may have arrived just before it was called off.
        if (abort.signal.aborted) return
        quoted.value = { quote }
        const leftMs = quote.valid_until * 1000 - Date.now() - EARLIER_MS
        timer = setTimeout(() => void ask(), Math.max(EARLIER_MS, leftMs))
      } catch (error) {
        if (abort.signal.aborted) return
        if (!isApiError(error)) throw error
        quoted.value = { error }
      }
    }
    let timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [client, text])
  return quoted
}
