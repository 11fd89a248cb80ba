/** Whether an element has been in sight, or nearly: true for good once it was. */
import { useSignal, type ReadonlySignal } from "@preact/signals"
import type { RefObject } from "preact"
import { useEffect } from "preact/hooks"

export function useInSight(place: RefObject<Element | null>): ReadonlySignal<boolean> {
  const isSeen = useSignal(false)
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) isSeen.value = true
      },
      { rootMargin: "200px" },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return isSeen
}
