/**
 * What keeps private links alive and what ends them (http-decisions §6): signing keys, which come
 * and go, and epochs, which rise.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createLinkKey } from "@safelight/access"
import { ACCOUNT, putArtifact, taskId } from "./fake-service.ts"
import {
  assertNothing,
  assertOpens,
  BYTES,
  CONTENT,
  forge,
  KEY,
  LINKS,
  makePath,
  openLinkWorld,
  readAnswer,
  toPath,
  toToken,
  type LinkWorld,
} from "./link-world.ts"
import { WORLDS } from "./worlds.ts"

const OTHER = `/v1/tasks/${taskId(2)}/artifacts/image_1`

for (const kind of WORLDS) {
  describe(`the keys and epochs of links, ${kind}`, () => {
    it("sign with the newest key, and open links of the one before it", async () => {
      await using world = await openLinkWorld(kind)
      const first = await makePath(world)
      await world.storage.addLinkKey(KEY)
      await world.clock.advance(1_000)
      const second = await makePath(world)
      assert.equal(toToken(second).split(".")[1], KEY.id)
      assert.notEqual(toToken(first).split(".")[1], KEY.id)
      for (const path of [first, second]) await assertOpens(world, path)
    })

    it("open no more what the key before the last two signed, within one second", async () => {
      await using world = await openLinkWorld(kind)
      const first = await makePath(world)
      await world.storage.addLinkKey(KEY)
      await world.storage.addLinkKey(createLinkKey(new Uint8Array(64).fill(5), 0))
      await world.clock.advance(1_000)
      await assertNothing(world, first)
      await assertOpens(world, `${CONTENT}?access=${forge()}`)
    })

    it("open at once what another node signed with a key that is new here", async () => {
      await using world = await openLinkWorld(kind)
      await makePath(world)
      await world.storage.addLinkKey(KEY)
      await assertOpens(world, `${CONTENT}?access=${forge()}`)
    })

    it("are read once a second, and for every key that is unknown", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      async function countReads(asked: string): Promise<number> {
        const before = world.links.reads()
        await readAnswer(world.bare(asked))
        return world.links.reads() - before
      }
      await world.clock.advance(1_000)
      // Of a good link, the epoch too.
      assert.equal(await countReads(path), 2)
      assert.equal(await countReads(path), 1)
      await world.clock.advance(999)
      assert.equal(await countReads(path), 1)
      await world.clock.advance(1)
      assert.equal(await countReads(path), 2)
      const unknown = path.replace(/v1\.\w{8}/, "v1.00000000")
      assert.deepEqual([await countReads(unknown), await countReads(unknown)], [1, 1])
    })

    it("read as much for what is there as for what is not", async () => {
      await using world = await openLinkWorld(kind)
      const path = await makePath(world)
      const forged = path.replace(/.{43}$/, "A".repeat(43))
      const counts: number[] = []
      for (const asked of [path, forged, forged.replace("image_1", "image_9")]) {
        const before = world.links.reads()
        // oxlint-disable-next-line no-await-in-loop
        await readAnswer(world.bare(asked))
        counts.push(world.links.reads() - before)
      }
      const before = world.links.reads()
      await readAnswer(world.bare(forged.replace(taskId(1), taskId(404))))
      counts.push(world.links.reads() - before)
      // The epoch of a good link; nothing more for whoever has none.
      assert.deepEqual(counts, [1, 0, 0, 0])
    })

    it("make the first key once, however many links are asked for at once", async () => {
      await using world = await openLinkWorld(kind)
      const paths = await Promise.all(Array.from({ length: 8 }, () => makePath(world)))
      assert.equal((await world.storage.readLinkKeys()).length, 1)
      for (const path of paths) await assertOpens(world, path)
    })

    it("let two nodes make the first key at once, and each opens the links of both", async () => {
      await using one = await openLinkWorld(kind)
      await using other = await openLinkWorld(kind, { shared: one.shared })
      letBothRead(one)
      const paths = await Promise.all([makePath(one), makePath(other)])
      assert.equal((await one.storage.readLinkKeys()).length, 2)
      for (const node of [one, other]) {
        for (const path of paths) await assertOpens(node, path)
      }
    })

    it("revoke the links of one artifact at once, and no others", async () => {
      await using world = await openLinkWorld(kind)
      putArtifact(world.fake, BYTES, { id: taskId(2) })
      const [path, other] = [await makePath(world), await makePath(world, `${OTHER}/links`)]
      assert.equal((await world.call(LINKS, { method: "DELETE" })).status, 204)
      await assertNothing(world, path)
      await assertOpens(world, other)
      await assertOpens(world, await makePath(world))
    })

    it("revoke the links of a whole account at once, and no others", async () => {
      await using world = await openLinkWorld(kind)
      const theirs = world.keys.add({ account: "account-b" })
      putArtifact(world.fake, BYTES, { id: taskId(2), account: "account-b" })
      const headers = { authorization: `Bearer ${theirs}` }
      const made = await world.call(`${OTHER}/links`, { method: "POST", headers })
      const { url } = (await made.json()) as { url: string }
      const path = await makePath(world)
      await world.storage.raiseLinkEpoch({ kind: "account", account: ACCOUNT, now: 0 })
      await assertNothing(world, path)
      await assertOpens(world, toPath(url))
      await assertOpens(world, await makePath(world))
    })
  })
}

/** The first two to read the signing keys see what is there before either goes on. */
function letBothRead({ storage }: LinkWorld): void {
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
