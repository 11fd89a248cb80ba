/**
 * One stream. It reads on from where it stands whenever it is told that there is news:
 *
 *     news ─▶ the next text is read ─▶ the key is still good ─▶ written ─▶ again, until nothing is left
 *               │ failed: tried again      │ else: ended          │ client is behind: once it takes more
 *                                          │ not known for now: the text is kept, and the key looked at again
 *
 * The key is looked at before every text and every beat, so that one that was revoked learns nothing more. A
 * source gives each text once, so a text that was read is kept until it is written.
 */
import { BEAT_TEXT } from "./event-text.ts"
import type { TextSink, TextSinkListener } from "./text-sink.ts"

/** What a stream sends. */
export interface TextSource {
  /**
   * The text after the one before: undefined if there is none now, null if none will ever come. Rejects if
   * it can't be had for now.
   */
  next(): Promise<string | null | undefined>
}

export interface StreamRequest {
  /** Whether the key still may read. Rejects if that can't be known for now. */
  readonly isAllowed: () => boolean | Promise<boolean>
  readonly source: TextSource
  /** Opens the answer. */
  readonly open: (listener: TextSinkListener) => TextSink
  /** Texts to begin with. */
  readonly begin: string
}

export interface OpenStream {
  readonly openedAt: number
  readonly wroteAt: () => number
  readonly isOver: () => boolean
  /** Reads on. */
  readonly wake: () => void
  /** Reads again if that failed. */
  readonly retry: () => void
  /** Shows both sides that the connection stands. */
  readonly beat: () => void
  readonly end: () => void
  /** Resolves when the answer is over. */
  readonly over: Promise<void>
}

interface State {
  isBehind: boolean
  /** There is something to be read, or may be. */
  isDue: boolean
  isOver: boolean
  isReading: boolean
  /** Read and not written: null if it says that none will ever come. */
  text: string | null | undefined
  wroteAt: number
}

interface Parts extends Pick<StreamRequest, "isAllowed" | "source"> {
  readonly sink: TextSink
  readonly now: () => number
}

export function openStream(
  { begin, isAllowed, open, source }: StreamRequest,
  now: () => number,
  onOver: () => void,
): OpenStream {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const openedAt = now()
  const state: State = {
    isBehind: false,
    isDue: false,
    isOver: false,
    isReading: false,
    text: undefined,
    wroteAt: openedAt,
  }
  const sink = open({
    onReady() {
      state.isBehind = false
      retry()
    },
    onOver() {
      state.isOver = true
      resolve()
      onOver()
    },
  })
  const parts: Parts = { isAllowed, now, sink, source }
  function retry(): void {
    const { isBehind, isDue, isOver, isReading } = state
    if (isDue && !isReading && !isBehind && !isOver) void read(state, parts)
  }
  if (!state.isOver) write(state, parts, begin)
  return {
    openedAt,
    wroteAt: () => state.wroteAt,
    isOver: () => state.isOver,
    wake() {
      state.isDue = true
      retry()
    },
    retry,
    beat: () => void beat(state, parts),
    end: () => sink.end(),
    over,
  }
}

function write(state: State, { now, sink }: Parts, text: string): void {
  state.wroteAt = now()
  state.isBehind = !sink.write(text)
}

async function read(state: State, parts: Parts): Promise<void> {
  state.isReading = true
  try {
    while (state.isDue && !state.isBehind && !state.isOver) {
      state.isDue = false
      const isMore = await readOnce(state, parts)
      state.isDue ||= isMore
    }
  } catch {
    // The storage is away: the timer has it tried again, as long as the client waits. A text that was read is kept.
    state.isDue = true
  } finally {
    state.isReading = false
  }
}

/** Whether there may be more. */
async function readOnce(state: State, parts: Parts): Promise<boolean> {
  if (state.text === undefined) state.text = await parts.source.next()
  const { text } = state
  if (state.isOver || text === undefined) return false
  if (text === null || !(await parts.isAllowed())) {
    parts.sink.end()
    return false
  }
  state.text = undefined
  write(state, parts, text)
  return true
}

async function beat(state: State, parts: Parts): Promise<void> {
  // So that the timer begins no second one meanwhile.
  state.wroteAt = parts.now()
  const isGood = await isAllowedAsFarAsKnown(parts)
  if (state.isOver || state.isBehind) return
  if (isGood) write(state, parts, BEAT_TEXT)
  else parts.sink.end()
}

/** A key that can't be looked at for now is asked at the next beat. */
async function isAllowedAsFarAsKnown({ isAllowed }: Parts): Promise<boolean> {
  try {
    return await isAllowed()
  } catch {
    return true
  }
}
