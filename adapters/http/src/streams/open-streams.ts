/**
 * The streams that are open: how many there may be, and one timer for all of them. It writes to those that
 * were silent for long, has those read again whose reading failed, and ends those that are old.
 */
import type { HttpSettings } from "../pipeline/defaults.ts"
import { POLL_HEADERS } from "../endpoints/find-task.ts"
import { Refusal } from "../errors/refusal.ts"
import { createRoom } from "../pipeline/room.ts"
import { openStream, type OpenStream, type StreamRequest } from "./open-stream.ts"

export interface OpenStreams {
  /** Throws a `Refusal` if the account, or the process, has as many as it may: call it before `open`. */
  readonly reserve: (account: string) => Reservation
}

/** A stream that may be opened. */
export interface Reservation {
  readonly open: (request: StreamRequest) => OpenStream
  readonly release: () => void
}

type StreamSettings = Pick<
  HttpSettings,
  "streamBeatMs" | "streamMs" | "streams" | "streamsOfAccount"
>

/** How often the timer looks at all streams. */
const LOOK_MS = 1_000
/** Beats at one look: those of very many streams that were opened at once spread out so. */
const MOST_BEATS = 1_000

export function createOpenStreams(
  settings: StreamSettings,
  clock: { readonly monotonicNow: () => number },
): OpenStreams {
  const open = new Set<OpenStream>()
  const { streams: most, streamsOfAccount: mostOfAccount } = settings
  const room = createRoom({ most, mostOfAccount })
  let timer: ReturnType<typeof setInterval> | undefined

  function look(): void {
    const now = clock.monotonicNow()
    let beats = 0
    for (const stream of open) {
      stream.retry()
      if (now - stream.openedAt >= settings.streamMs) stream.end()
      else if (now - stream.wroteAt() >= settings.streamBeatMs && beats < MOST_BEATS) {
        beats += 1
        stream.beat()
      }
    }
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    reserve(account) {
      const release = room.enter(account)
      if (release === "account-full") {
        const message = `The account has ${mostOfAccount} streams open, as many as it may; close one first.`
        throw new Refusal("concurrency_limit_exceeded", { message, headers: POLL_HEADERS })
      }
      if (release === "full") throw new Refusal("overloaded", { headers: POLL_HEADERS })
      return {
        release,
        open(request) {
          timer ??= startTimer(look)
          // It may be over before it is returned.
          let opened: OpenStream | undefined
          const stream = openStream(request, clock.monotonicNow, () => {
            if (opened !== undefined) open.delete(opened)
            release()
          })
          opened = stream
          if (!stream.isOver()) open.add(stream)
          return stream
        },
      }
    },
  }
}

/** The connections of the streams keep the process alive; the timer need not. */
function startTimer(look: () => void): ReturnType<typeof setInterval> {
  const timer = setInterval(look, LOOK_MS)
  // Elsewhere than in Node a timer is a number.
  if (typeof timer === "object") timer.unref()
  return timer
}
