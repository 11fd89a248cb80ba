/**
 * The path of the public URL, which stands before every path that an answer names: a client follows
 * `Location` and `links` from where it asked, and that is below the prefix.
 */

/** Without a slash at its end; the empty text where the public URL has no path. */
export type PublicPrefix = () => string

export function createPublicPrefix(publicUrl: () => string): PublicPrefix {
  let url = ""
  let prefix = ""
  return () => {
    const current = publicUrl()
    // Taken apart once: the address changes when a server learns it, and then no more.
    if (current !== url) prefix = toPrefix(current)
    url = current
    return prefix
  }
}

function toPrefix(publicUrl: string): string {
  return (URL.parse(publicUrl)?.pathname ?? "").replace(/\/+$/, "")
}
