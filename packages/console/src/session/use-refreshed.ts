/**
 * Loads again and again what no stream tells of, for as long as the page is looked at. What takes longer than the
 * pause is waited for, and after a failure the reader decides, or the service's return.
 */
import { useEffect } from "preact/hooks"
import type { Loading } from "./use-loaded.ts"

export function useRefreshed({ reload, state }: Loading<unknown>, pauseMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      const { error, isLoading } = state.peek()
      const isSettled = !isLoading && error === undefined
      if (isSettled && document.visibilityState === "visible") reload()
    }, pauseMs)
    return () => clearInterval(timer)
  }, [reload, state, pauseMs])
}
