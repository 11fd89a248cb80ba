/** Where the service is to listen: whether that is free or who is there, and which families of addresses reach it. */
import { lookup } from "node:dns/promises"
import { once } from "node:events"
import { createConnection, createServer, type AddressInfo } from "node:net"
import { networkInterfaces } from "node:os"
import { canListOwnAddresses } from "@safelight/fetch-guarded"
import { NETLINK_ADVICE } from "../service/own-addresses.ts"
import type { AddressAnswer } from "./ask-address.ts"
import type { Place } from "./ask-service.ts"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Surroundings } from "./surroundings.ts"

const NAME = "address"

export async function checkAddress(surroundings: Surroundings): Promise<readonly Finding[]> {
  const { host, port } = surroundings.configuration
  const families = await findFamilies(host)
  if (typeof families === "string") {
    const advice = "set host to 127.0.0.1, 0.0.0.0, :: or an address of this machine"
    return [fault(NAME, `nothing can listen on ${host} (${families})`, advice)]
  }
  const found = [
    judgeAnswer(await surroundings.askService(), surroundings.configuration),
    await findPrivileged(port),
    host === "::" && !families.includes("IPv4")
      ? warning(
          NAME,
          "IPv4 does not reach ::",
          "set net.ipv6.bindv6only to 0, or listen on 0.0.0.0",
        )
      : undefined,
  ]
  return orElse(found, ok(NAME, `${host} port ${port}, by ${families.join(" and ")}`))
}

/** The families by which a listener on `host` is reached from this machine, or why there can be none. */
async function findFamilies(host: string): Promise<readonly string[] | string> {
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen(0, host)
    await once(server, "listening")
    const { address, port } = server.address() as AddressInfo
    const isWildcard = address === "::" || address === "0.0.0.0"
    const near = isWildcard ? ["127.0.0.1", "::1"] : [address]
    const reached = await Promise.all(near.map((each) => reaches(each, port)))
    return near
      .filter((_, index) => reached[index])
      .map((each) => (each.includes(":") ? "IPv6" : "IPv4"))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown"
  } finally {
    server.close()
  }
}

async function reaches(host: string, port: number): Promise<boolean> {
  const socket = createConnection({ host, port })
  try {
    await once(socket, "connect")
    return true
  } catch {
    // For whatever reason.
    return false
  } finally {
    socket.destroy()
  }
}

function judgeAnswer(answer: AddressAnswer, { host, port }: Place): Finding | undefined {
  const where = `${host} port ${port}`
  if (answer.kind === "failed") {
    if (answer.code === "ECONNREFUSED") return undefined
    const advice = `end it, or name another port`
    return fault(NAME, `another program is on ${where} (${answer.code})`, advice)
  }
  if (answer.service === "ready") return ok(NAME, `a service listens on ${where}, and is ready`)
  if (answer.service === "unready") {
    const advice = "its log says which piece: `not ready`"
    return fault(NAME, `a service listens on ${where}, and is not ready`, advice)
  }
  const advice = "end it, or name another port"
  return fault(NAME, `another program answers on ${where} (${answer.status})`, advice)
}

const FIRST_FREE_PORT = 1_024

async function findPrivileged(port: number): Promise<Finding | undefined> {
  if (port === 0 || port >= FIRST_FREE_PORT || process.getuid?.() === 0) return undefined
  const words = `port ${port} is kept for root on most machines`
  return warning(NAME, words, "listen on 8080 behind a proxy, or give CAP_NET_BIND_SERVICE")
}

/** Names that the configuration leads to, and whether strangers' URLs can be judged at all. */
export async function checkNames({ configuration }: Surroundings): Promise<readonly Finding[]> {
  const hosts = listHosts(configuration)
  const found = await Promise.all(hosts.map(findUnknown))
  const own = canListOwnAddresses()
    ? undefined
    : fault("names", "the addresses of this machine can't be listed", NETLINK_ADVICE)
  const interfaces = Object.values(networkInterfaces()).flat()
  const families = ["IPv4", "IPv6"].filter((family) =>
    interfaces.some((each) => each?.family === family && !each.internal),
  )
  const ways =
    families.length === 0 ? "this machine has no address of its own" : families.join(", ")
  const names = hosts.length === 0 ? "" : `; ${hosts.join(", ")} found`
  return orElse([own, ...found], ok("names", `${ways}${names}`))
}

function listHosts({ artifacts, database, publicUrl }: Surroundings["configuration"]): string[] {
  const endpoint = URL.parse(artifacts ?? "")?.searchParams.get("endpoint") ?? ""
  const hosts = [publicUrl, database, endpoint].map((url) => URL.parse(url ?? "")?.hostname ?? "")
  return [...new Set(hosts)].filter((host) => host !== "" && !/^\[|^[\d.]+$/.test(host))
}

async function findUnknown(host: string): Promise<Finding | undefined> {
  return lookup(host).then(
    () => undefined,
    (error: NodeJS.ErrnoException) =>
      fault("names", `${host} leads nowhere (${error.code})`, "correct the name, or the resolver"),
  )
}
