/**
 * Text that a message repeats. A caller may put a key or a link in the place of a name: it must not come
 * back in an answer, since answers are kept in places where requests are not (http-decisions §2, §6).
 */

/** An API key or an access token from its beginning on, whether or not the rest is right. */
const SECRET = /sl_live_\w*|v1\.[0-9A-Za-z]{8}\.[\w.-]*/g

/** The text with an ellipsis in place of each. */
export function hideSecrets(text: string): string {
  return text.replaceAll(SECRET, "…")
}

/** A shorter text is no secret, and may stand anywhere. */
const LEAST_SECRET_CHARACTERS = 8

/** A function that puts an ellipsis in place of each secret and of its parts: some keys are an id and a secret. */
export function createSecretHider(secrets: readonly string[]): (text: string) => string {
  const parts = secrets
    .flatMap((secret) => [secret, ...secret.split(":")])
    .filter(({ length }) => length >= LEAST_SECRET_CHARACTERS)
    // Of a secret that is part of another, the whole goes first.
    .toSorted((a, b) => b.length - a.length)
  return (text) => parts.reduce((hidden, part) => hidden.replaceAll(part, "…"), text)
}

/** Input is cut here when a message repeats it (http-decisions §2). */
const ECHO_CHARACTERS = 100
/** An address may open what it names, and a data URL is what it holds. */
const URL_TEXT = /\b(?:[a-z][a-z\d+.-]*:\/\/|data:)\S*/gi

/**
 * Input as a message may repeat it: at most 100 characters by default, none of them cut in half, and neither a
 * secret nor a URL. A lone surrogate is replaced, for strict readers refuse JSON that holds one.
 */
export function toEcho(text: string, mostCharacters = ECHO_CHARACTERS): string {
  // Enough to see the whole of a secret that begins within what is shown.
  const shown = hideSecrets(text.slice(0, 4 * mostCharacters)).replaceAll(URL_TEXT, "…")
  // A code point is at most two code units.
  const characters = Array.from(shown.slice(0, 2 * mostCharacters + 2))
  const isCut = characters.length > mostCharacters
  const echo = isCut ? `${characters.slice(0, mostCharacters - 1).join("")}…` : shown
  return echo.toWellFormed()
}
