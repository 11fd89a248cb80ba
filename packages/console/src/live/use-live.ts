/** Listens to the live stream for as long as a component is shown. */
import { useEffect, useRef } from "preact/hooks"
import { listen, type LiveListener } from "./live-tasks.ts"

export function useLive(listener: LiveListener): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(
    () =>
      listen({
        onChanges: (changes) => latest.current.onChanges(changes),
        onReset: () => latest.current.onReset(),
      }),
    [],
  )
}
