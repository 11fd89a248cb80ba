/**
 * Follows redirects, and checks the first answer that is none. Each hop is judged again: its URL, its host, its
 * address. Headers that the caller adds are sent to the origin of the URL until the first redirect
 * elsewhere, and never again, even if a later redirect leads back.
 */
import type { MediaRequest } from "@safelight/core"
import { createAddressJudge } from "./address-rule.ts"
import { checkRest, checkWhole } from "./check-answer.ts"
import { parseDownloadAddress, parseRedirect } from "./download-address.ts"
import type { GuardedFetchSettings, LookUpHost } from "./guarded-fetch-options.ts"
import { createHostRule } from "./host-rule.ts"
import { createLookUp, lookUpBySystem } from "./look-up-host.ts"
import { downloadFailed, hostRefused } from "./media-fault.ts"
import { toRangeHeaders, type Rest } from "./rest-of-body.ts"
import { sendRequest, toRequestHeaders, type Answer } from "./send-request.ts"

export interface DownloadRequest extends Pick<
  MediaRequest,
  "headers" | "hosts" | "maxBytes" | "trustedOrigins" | "url"
> {
  readonly signal: AbortSignal
  /** Requested instead of the whole file. */
  readonly rest?: Rest
}

export type Download = (request: DownloadRequest) => Promise<Answer>

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const ALL_ADDRESSES = ["0.0.0.0/0", "::/0"]

export function createDownload(settings: GuardedFetchSettings, lookup?: LookUpHost): Download {
  const { deniedAddresses, maxRedirects } = settings
  const ways = {
    allowed: { judge: createAddressJudge(settings), lookup: lookup ?? createLookUp() },
    trusted: {
      judge: createAddressJudge({ allowedAddresses: ALL_ADDRESSES, deniedAddresses }),
      lookup: lookup ?? lookUpBySystem,
    },
  }

  return async ({ url, signal, maxBytes, rest, ...request }) => {
    const judgeHost = createHostRule(request)
    const rangeHeaders = rest === undefined ? {} : toRangeHeaders(rest)
    let ownHeaders = toRequestHeaders(request.headers)
    let address = parseDownloadAddress(url)
    for (let redirects = 0; ; redirects += 1) {
      const verdict = judgeHost(address)
      if (verdict === "refused") throw hostRefused(address.hostname)
      const headers = { ...ownHeaders, ...rangeHeaders }
      // oxlint-disable-next-line no-await-in-loop
      const answer = await sendRequest({ ...ways[verdict], address, headers, signal }, settings)
      try {
        if (!REDIRECTS.has(answer.status)) {
          if (rest === undefined) checkWhole(answer, maxBytes)
          else checkRest(answer, rest)
          return answer
        }
        if (redirects === maxRedirects) throw downloadFailed("it redirects too often")
        const target = parseRedirect(answer.headers["location"], address)
        if (target.origin !== address.origin) ownHeaders = {}
        address = target
      } catch (error) {
        // oxlint-disable-next-line no-await-in-loop
        await answer.close()
        throw error
      }
      // oxlint-disable-next-line no-await-in-loop
      await answer.close()
    }
  }
}
