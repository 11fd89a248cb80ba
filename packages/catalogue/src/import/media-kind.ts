/**
 * Whether a text is the address of an image, a video or a sound. It counts as one only if its name, or else what is
 * said of it, speaks of one kind alone: what is marked as a medium is fetched, measured and checked.
 */
import type { MediaKind } from "@safelight/core"
import { textOf, type Raw } from "./raw.ts"

const NAMES: Readonly<Record<MediaKind, RegExp>> = {
  image: /(?:^|_)(?:images?|img|photos?|pictures?|portrait|frame|mask)(?:_|$)/i,
  video: /(?:^|_)(?:videos?|film)(?:_|$)/i,
  audio: /(?:^|_)(?:audios?|voice|song|music|sound|speech)(?:_|$)/i,
}
const WORDS: Readonly<Record<MediaKind, RegExp>> = {
  image: /\b(?:images?|photos?|pictures?)\b/i,
  video: /\bvideos?\b/i,
  audio: /\b(?:audio|voice|song|music|sound|speech)\b/i,
}
/** Weights and training data are addresses too. */
const OTHERS = /\b(?:zip|tar|archive|weights|safetensors|lora)\b/i
const MOST_CHARACTERS = 2_000

/** `name` is of the parameter; `told` is what is said of it, or of the list that it is in. */
export function isAddress(name: string, schema: Raw): boolean {
  return /^ur[il]$/.test(textOf(schema["format"])) || /(?:^|_)ur[il]s?$/i.test(name)
}

/** Undefined if it is not certain. */
export function findMediaKind(name: string, told: string): MediaKind | undefined {
  const words = told.slice(0, MOST_CHARACTERS)
  if (OTHERS.test(words)) return undefined
  return findOnly(NAMES, name) ?? findOnly(WORDS, words)
}

function findOnly(
  patterns: Readonly<Record<MediaKind, RegExp>>,
  text: string,
): MediaKind | undefined {
  const kinds = (["image", "video", "audio"] as const).filter((kind) => patterns[kind].test(text))
  return kinds.length === 1 ? kinds[0] : undefined
}
