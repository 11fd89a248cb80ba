/**
 * Loads something for a page and says how far it is. What was loaded stays shown while it is loaded again, and a
 * failure is tried again by itself when the service is back.
 */
import { useSignal, useSignalEffect, type ReadonlySignal, type Signal } from "@preact/signals"
import { useCallback, useEffect, useRef } from "preact/hooks"
import { isOffline } from "./session.ts"

export interface Loaded<Value> {
  readonly value: Value | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

export interface Loading<Value> {
  readonly state: ReadonlySignal<Loaded<Value>>
  readonly reload: () => void
}

/** Loads again whenever one of `inputs` changes; then what was loaded before is dropped. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Loading<Value> {
  const state = useSignal<Loaded<Value>>(STARTING)
  const running = useRef<AbortController>(undefined)
  const latest = useRef(load)
  latest.current = load

  const start = useCallback((known: Value | undefined): void => {
    running.current?.abort()
    const abort = (running.current = new AbortController())
    state.value = { value: known, error: undefined, isLoading: true }
    void settle(latest.current, abort.signal, known, state)
  }, [])

  useEffect(() => {
    start(undefined)
    return () => running.current?.abort()
  }, inputs)

  const reload = useCallback(() => start(state.peek().value), [])
  useSignalEffect(() => {
    if (!isOffline.value && state.peek().error !== undefined) reload()
  })
  return { state, reload }
}

/** Tells of the outcome, unless something else was asked for meanwhile. */
async function settle<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
  known: Value | undefined,
  state: Signal<Loaded<Value>>,
): Promise<void> {
  let outcome: Loaded<Value>
  try {
    outcome = { value: await load(signal), error: undefined, isLoading: false }
  } catch (error) {
    outcome = { value: known, error, isLoading: false }
  }
  if (!signal.aborted) state.value = outcome
}

const STARTING = { value: undefined, error: undefined, isLoading: true } as const
