/** What was sent, as a message may repeat it: short, whole characters, and nothing that opens anything. */
import { hideSecrets } from "@safelight/core"

/** Echoed input is cut here (http-decisions §2). */
const ECHO_CHARACTERS = 100
/** An address may open what it names, and a data URL is what it holds. */
const URL_TEXT = /\b(?:[a-z][a-z\d+.-]*:\/\/|data:)\S*/gi

/**
 * Input as a message may repeat it: at most 100 characters, none of them cut in half, and neither
 * a secret nor a URL.
 */
export function toEcho(text: string): string {
  // Enough to see the whole of a secret that begins within what is shown.
  const shown = hideSecrets(text.slice(0, 4 * ECHO_CHARACTERS)).replaceAll(URL_TEXT, "…")
  // 100 code points are at most 200 code units.
  const characters = Array.from(shown.slice(0, 2 * ECHO_CHARACTERS + 2))
  const isCut = characters.length > ECHO_CHARACTERS
  const echo = isCut ? `${characters.slice(0, ECHO_CHARACTERS - 1).join("")}…` : shown
  return echo.toWellFormed()
}
