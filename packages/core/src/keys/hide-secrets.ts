/**
 * Secrets in text that a message repeats: whoever puts a key or a link where a name belongs must
 * not find it in an answer, which may be kept where the request is not (http-decisions §2, §6).
 */

/** An API key or an access token from its beginning on, whether or not the rest is right. */
const SECRET = /sl_live_\w*|v1\.[0-9A-Za-z]{8}\.[\w.-]*/g

/** The text with an ellipsis in place of each. */
export function hideSecrets(text: string): string {
  return text.replaceAll(SECRET, "…")
}
