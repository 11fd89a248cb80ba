/** Which rows of a long list the window shows, with a few more on both sides so that scrolling shows no gaps. */
import { useSignal } from "@preact/signals"
import type { RefObject } from "preact"
import { useLayoutEffect } from "preact/hooks"

export interface RowsInSight {
  readonly first: number
  /** Inclusive; -1 where there are no rows. */
  readonly last: number
}

const SPARE_ROWS = 8

export function useRowsInSight(
  body: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
): RowsInSight {
  const topPx = useSignal(0)
  const heightPx = useSignal(innerHeight)
  useLayoutEffect(() => {
    let frame = 0
    const measure = (): void => {
      frame = 0
      const top = body.current?.getBoundingClientRect().top ?? 0
      // Whole rows alone: between them nothing is drawn again.
      topPx.value = Math.floor(Math.max(0, -top) / rowPx) * rowPx
      heightPx.value = innerHeight
    }
    const schedule = (): void => {
      if (frame === 0) frame = requestAnimationFrame(measure)
    }
    measure()
    addEventListener("scroll", schedule, { passive: true })
    addEventListener("resize", schedule)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener("scroll", schedule)
      removeEventListener("resize", schedule)
    }
  }, [rowPx, count === 0])
  const start = Math.floor(topPx.value / rowPx)
  const first = Math.max(0, Math.min(start, count - 1) - SPARE_ROWS)
  const last = Math.min(count - 1, start + Math.ceil(heightPx.value / rowPx) + SPARE_ROWS)
  return { first, last }
}
