/**
 * The errors of an inspection. None has a parser's error as its cause: that stays in the process that
 * measured.
 */
import { SafelightError, type MediaKind } from "@safelight/core"
import type { Death } from "@safelight/host"

export function unsupportedType(kinds: readonly MediaKind[]): SafelightError {
  return new SafelightError({
    code: "unsupported_media_type",
    message: `The media is of no supported ${kinds.join(" or ")} type.`,
  })
}

export function unreadable(): SafelightError {
  return new SafelightError({
    code: "media_unreadable",
    message: "The media can't be read to its end.",
  })
}

export function unavailable({ how, cause }: Death): SafelightError {
  return new SafelightError({
    code: "inspector-unavailable",
    message: `No process that measures media can be started; the last one ${how}. The next inspection starts another.`,
    retryable: true,
    cause,
  })
}

export function aborted(): SafelightError {
  return new SafelightError({ code: "aborted", message: "The inspection was called off." })
}
