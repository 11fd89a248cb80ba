/** The address that clients use: whether this service is behind it, and what its TLS is worth. */
import { connect } from "node:tls"
import { isLocal } from "../service/sandbox.ts"
import { askAddress, type AddressAnswer } from "./ask-address.ts"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Surroundings } from "./surroundings.ts"

const NAME = "public URL"

const DAY_MS = 86_400_000
/** Certificates of ACME are renewed a month before they end. */
const SOON_DAYS = 14

export async function checkPublicUrl(surroundings: Surroundings): Promise<readonly Finding[]> {
  const { configuration, patienceMs } = surroundings
  const { publicUrl, role } = configuration
  if (publicUrl === undefined) {
    if (isLocal(configuration) || role === "worker") return [ok(NAME, "none: this machine alone")]
    const words = "none, so that content_url names this machine"
    return [warning(NAME, words, "set publicUrl to the address that clients use")]
  }
  const answer = await askAddress(`${publicUrl}/readyz`, AbortSignal.timeout(patienceMs))
  const url = new URL(publicUrl)
  const found = [
    findOpen(url),
    await judge(answer, surroundings),
    answer.kind === "answered" && url.protocol === "https:"
      ? await findEnding(url, surroundings)
      : undefined,
  ]
  return orElse(found, ok(NAME, `${publicUrl} answers, and is ready`))
}

function findOpen({ hostname, protocol }: URL): Finding | undefined {
  if (protocol === "https:" || /^(localhost|127\..*|\[::1\])$/.test(hostname)) return undefined
  const words = "it is http, so keys and prompts travel in clear"
  return warning(NAME, words, "put a proxy with TLS in front, and make it https")
}

/** Whether a service runs decides if silence behind the address is wrong. */
async function judge(
  answer: AddressAnswer,
  { askService, configuration }: Surroundings,
): Promise<Finding | undefined> {
  const { host, port, publicUrl = "" } = configuration
  if (answer.kind === "answered" && answer.service === "ready") return undefined
  if (answer.kind === "answered" && answer.service === "unready") {
    return fault(NAME, `${publicUrl} answers, and is not ready`, "its log says why: `not ready`")
  }
  if (answer.kind === "failed" && isTls(answer.code)) {
    const words = `${publicUrl} has a certificate that clients refuse (${answer.code})`
    return fault(NAME, words, "give the proxy a valid certificate for that name, with its chain")
  }
  const local = await askService()
  const isServed = local.kind === "answered" && local.service !== undefined
  const what =
    answer.kind === "failed"
      ? `${publicUrl} can't be reached from here (${answer.code})`
      : `${publicUrl}/readyz answers ${answer.status}, which is not this service`
  if (!isServed) return warning(NAME, what, "start the service, and run this again")
  return answer.kind === "failed"
    ? warning(NAME, what, "look from outside: some networks don't lead back to themselves")
    : fault(NAME, what, `have the proxy pass everything on to ${host} port ${port}`)
}

function isTls(code: string): boolean {
  return /CERT|SIGNATURE|SELF_SIGNED|TLS|SSL/.test(code) && !code.startsWith("UND_")
}

async function findEnding(
  url: URL,
  { clock, patienceMs }: Surroundings,
): Promise<Finding | undefined> {
  const endsAt = await readEnd(url, patienceMs)
  const days = Math.floor((endsAt - clock.now()) / DAY_MS)
  if (!(days < SOON_DAYS)) return undefined
  return warning(NAME, `its certificate ends in ${days} days`, "see why it was not renewed")
}

/** When its certificate ends, ms; NaN if that can't be told. */
function readEnd({ hostname, port }: URL, patienceMs: number): Promise<number> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || 443), servername: host }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to))
      socket.destroy()
    })
    socket.setTimeout(patienceMs, () => socket.destroy())
    socket.on("error", () => resolve(Number.NaN))
    socket.on("close", () => resolve(Number.NaN))
  })
}
