/**
 * What keeps private links alive and what ends them (http-decisions §6): signing keys, which come
 * and go, and epochs, which rise. What HTTP answers through a link is tested in tests/adapters/http.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createLinkKey, rotateLinkKey } from "@safelight/access"
import { LINK_SECONDS } from "@safelight/core"
import { ACCOUNT, putArtifact, taskId } from "../adapters/http/fake-service.ts"
import {
  assertNothing,
  assertOpens,
  forgeLink,
  LINK_KEY,
  openAccess,
  START,
  type AccessWorld,
  type AskedLink,
} from "./access-world.ts"

const BYTES = new Uint8Array(3)

describe("the keys and epochs of links", () => {
  it("sign with the newest key, and open links of the one before it", async () => {
    const world = openAccess()
    const first = await world.makeLink()
    const { id } = await rotateLinkKey(world.storage, world.clock.now())
    await world.clock.advance(1_000)
    const second = await world.makeLink()
    assert.equal(toKeyId(second), id)
    assert.notEqual(toKeyId(first), id)
    for (const link of [first, second]) await assertOpens(world, link)
  })

  it("open no more what the key before the last two signed, within one second", async () => {
    const world = openAccess()
    const first = await world.makeLink()
    await world.storage.addLinkKey(LINK_KEY)
    await world.storage.addLinkKey(createLinkKey(new Uint8Array(64).fill(5), 0))
    await world.clock.advance(1_000)
    await assertNothing(world, first)
    await assertOpens(world, forgeLink())
  })

  it("open at once what another node signed with a key that is new here", async () => {
    const world = openAccess()
    await world.makeLink()
    await world.storage.addLinkKey(LINK_KEY)
    await assertOpens(world, forgeLink())
  })

  it("are read once a second, and for every key that is unknown", async () => {
    const world = openAccess()
    const link = await world.makeLink()
    await world.clock.advance(1_000)
    // Of a good link, the epoch too.
    assert.equal(await countReads(world, link), 2)
    assert.equal(await countReads(world, link), 1)
    await world.clock.advance(999)
    assert.equal(await countReads(world, link), 1)
    await world.clock.advance(1)
    assert.equal(await countReads(world, link), 2)
    const unknown = { ...link, token: link.token.replace(/v1\.\w{8}/, "v1.00000000") }
    assert.equal(await countReads(world, unknown), 1)
    assert.equal(await countReads(world, unknown), 1)
  })

  it("read as much for what is there as for what is not", async () => {
    const world = openAccess()
    const link = await world.makeLink()
    const forged = { ...link, token: link.token.replace(/.{43}$/, "A".repeat(43)) }
    // The epoch of a good link; nothing more for whoever has none.
    assert.equal(await countReads(world, link), 1)
    assert.equal(await countReads(world, forged), 0)
    assert.equal(await countReads(world, { ...forged, key: "image_9" }), 0)
    assert.equal(await countReads(world, { ...forged, task: taskId(404) }), 0)
  })

  it("make the first key once, however many links are asked for at once", async () => {
    const world = openAccess()
    const links = await Promise.all(Array.from({ length: 8 }, () => world.makeLink()))
    assert.equal((await world.storage.readLinkKeys()).length, 1)
    for (const link of links) await assertOpens(world, link)
  })

  it("let two nodes make the first key at once, and each opens the links of both", async () => {
    const one = openAccess()
    const other = openAccess({ shared: one.shared })
    letBothRead(one)
    const links = await Promise.all([one.makeLink(), other.makeLink()])
    assert.equal((await one.storage.readLinkKeys()).length, 2)
    for (const node of [one, other]) {
      for (const link of links) await assertOpens(node, link)
    }
  })

  it("revoke the links of one artifact at once on every node, and no others", async () => {
    const world = openAccess()
    const node = openAccess({ shared: world.shared })
    putArtifact(world.fake, BYTES, { id: taskId(2) })
    const [link, other] = [await world.makeLink(), await world.makeLink(taskId(2))]
    await assertOpens(node, link)
    await world.access.revokeLinks({ kind: "artifact", task: taskId(1), key: "image_1" })
    for (const each of [world, node]) await assertNothing(each, link)
    await assertOpens(world, other)
    await assertOpens(node, await world.makeLink())
  })

  it("revoke the links of a whole account at once, and no others", async () => {
    const world = openAccess()
    putArtifact(world.fake, BYTES, { id: taskId(2), account: "account-b" })
    const [link, other] = [await world.makeLink(), await world.makeLink(taskId(2), "account-b")]
    await world.access.revokeLinks({ kind: "account", account: ACCOUNT, now: 0 })
    await assertNothing(world, link)
    await assertOpens(world, other)
    await assertOpens(world, await world.makeLink())
  })
})

describe("a link", () => {
  it("lasts a day where nothing is said, and never longer than its artifact", async () => {
    const world = openAccess()
    const now = world.clock.now()
    const endOf = async (expiresAt: number, seconds?: number) => {
      const artifact = { task: taskId(1), key: "image_1", expiresAt }
      return (await world.access.createLink({ account: ACCOUNT, artifact, now, seconds }))?.endsAt
    }
    const late = now + 30 * 86_400_000
    assert.equal(await endOf(late), (START + LINK_SECONDS.byDefault) * 1_000)
    assert.equal(await endOf(late, 60), (START + 60) * 1_000)
    assert.equal(await endOf(now + 5_999, 60), (START + 5) * 1_000)
    assert.equal(await endOf(now + 999), undefined)
  })

  it("opens until its last millisecond, and only one at a time", async () => {
    const world = openAccess()
    const link = await world.makeLink()
    const { token, task, key } = link
    const now = world.clock.now()
    assert.equal(await world.access.openLink({ access: [token, token], task, key, now }), undefined)
    await world.clock.advance(LINK_SECONDS.byDefault * 1_000 - 1)
    await assertOpens(world, link)
    await world.clock.advance(1)
    await assertNothing(world, link)
  })

  it("that nobody signed waits behind a few others, and past a bound costs no read", async () => {
    const world = openAccess({ settings: { lookupsAtOnce: 2, lookupsWaiting: 3 } })
    const known = await world.makeLink()
    await assertOpens(world, known)
    const { service } = world.fake
    const findLinked = service.findLinked.bind(service)
    const going = Promise.withResolvers<void>()
    const full = Promise.withResolvers<void>()
    let asked = 0
    service.findLinked = async (id) => {
      asked += 1
      if (asked === 2) full.resolve()
      if (asked <= 2) await going.promise
      return findLinked(id)
    }
    const forged = Array.from({ length: 50 }, (_, index) => ({
      ...known,
      token: known.token.replace(/.{43}$/, `${String(index).padStart(42, "A")}A`),
    }))
    const answers = Promise.allSettled(forged.map(world.open))
    await full.promise
    await assertOpens(world, known)
    assert.equal(asked, 3, "two that nobody signed, and the known one past them")
    going.resolve()
    const refused = (await answers).filter(({ status }) => status === "rejected")
    assert.equal(refused.length, 45)
    for (const each of refused) {
      assert.ok(
        each.status === "rejected" && (each.reason as { code: string }).code === "overloaded",
      )
    }
    assert.equal(asked, 6)
  })
})

function toKeyId({ token }: AskedLink): string | undefined {
  return token.split(".")[1]
}

async function countReads(world: AccessWorld, link: AskedLink): Promise<number> {
  const before = world.links.reads()
  await world.open(link)
  return world.links.reads() - before
}

/** The first two to read the signing keys see what is there before either goes on. */
function letBothRead({ storage }: AccessWorld): void {
  const { readLinkKeys } = storage
  const { promise, resolve } = Promise.withResolvers<void>()
  let readers = 0
  Object.assign(storage, {
    async readLinkKeys() {
      const keys = await readLinkKeys()
      readers += 1
      if (readers === 2) resolve()
      await promise
      return keys
    },
  })
}
