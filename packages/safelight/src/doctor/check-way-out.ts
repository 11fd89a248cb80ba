/**
 * The way that webhooks and media take: whether a public address is reached through the guard, and whether the guard
 * refuses what no stranger may name.
 */
import { createAddressRule, createMessageSender } from "@safelight/fetch-guarded"
import type { SendFailure } from "@safelight/core"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Surroundings } from "./surroundings.ts"

const NAME = "way out"

/** IANA keeps it for examples, and answers there. */
export const PUBLIC_URL = "https://example.com/"

/** This machine, private networks, and where clouds hand out the credentials of a machine. */
const INNER = ["127.0.0.1", "::1", "10.0.0.1", "192.168.0.1", "169.254.169.254"] as const

export async function checkWayOut(
  { configuration, patienceMs }: Surroundings,
  url: string,
): Promise<readonly Finding[]> {
  const { endpointsPerAccount: _, ...webhooks } = configuration.webhooks
  const found = [
    findOpen("webhooks", webhooks),
    findOpen("media", configuration.media),
    await findClosed(url, webhooks, patienceMs),
  ]
  return orElse(found, ok(NAME, `${new URL(url).origin} is reached, and private networks are not`))
}

function findOpen(
  what: "webhooks" | "media",
  addresses: Parameters<typeof createAddressRule>[0],
): Finding | undefined {
  const isAllowed = createAddressRule(addresses)
  const open = INNER.filter((address) => isAllowed(address))
  if (open.length === 0) return undefined
  const words = `${what}.allowedAddresses lets every account reach ${open.join(", ")}`
  return warning(NAME, words, "name only the addresses that accounts need")
}

const WORDS: Readonly<Record<SendFailure, string>> = {
  "url-not-allowed": "is a URL that no webhook may have",
  "address-not-allowed": "leads to no public address, or its name is not found",
  "own-addresses-unknown": "is not opened, since the addresses of this machine can't be listed",
  "connection-failed": "can't be reached",
  "timed-out": "did not answer in time",
  "answer-invalid": "does not answer in HTTP",
  "called-off": "was not asked to its end",
}

async function findClosed(
  url: string,
  addresses: Parameters<typeof createMessageSender>[0],
  patienceMs: number,
): Promise<Finding | undefined> {
  const sender = createMessageSender(addresses)
  try {
    const headers = { "content-type": "text/plain" }
    const request = { url, headers, body: "", timeoutMs: patienceMs, answerBytes: 0 }
    const outcome = await sender.send(request)
    if (outcome.kind === "answered") return undefined
    const words = `${URL.parse(url)?.origin} ${WORDS[outcome.failure]}, so webhooks may not leave this machine`
    const advice = "open outgoing HTTPS and DNS, or name a URL that must be reached by --reach"
    const judged = outcome.failure === "own-addresses-unknown" ? fault : warning
    return judged(NAME, words, advice)
  } finally {
    await sender.close()
  }
}
