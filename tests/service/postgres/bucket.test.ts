/**
 * A bucket that can't be used: `serve` is refused at the start, in one clear line that holds no secret,
 * and before a task is accepted whose artifacts would have no place.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, test } from "node:test"
import { assertAllRefused } from "./refusal.ts"
import { createPostgresWorld } from "./postgres-world.ts"

describe("a bucket that can't be used is refused at the start", () => {
  test("where its URL or its credentials are wrong", async (t) => {
    const world = await createPostgresWorld(t)
    const { bucket, credentials, database } = world
    const secret = credentials["AWS_SECRET_ACCESS_KEY"] ?? ""
    const withoutKeys = { SAFELIGHT_DATABASE_URL: database, SAFELIGHT_ARTIFACTS_URL: bucket }
    await assertAllRefused(world, [
      {
        name: "no credentials",
        environment: withoutKeys,
        code: 1,
        says: /found no credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a role/,
      },
      {
        name: "half of them",
        environment: { ...withoutKeys, AWS_SECRET_ACCESS_KEY: secret },
        code: 1,
        says: /found no credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a role/,
      },
      {
        name: "credentials in the URL",
        words: ["--artifacts", bucket.replace("s3://", `s3://key:${secret}@`)],
        code: 2,
        says: /must hold no user name or password$/,
      },
      {
        name: "a secret as a parameter",
        words: ["--artifacts", `${bucket}&secret=${secret}`],
        code: 2,
        says: /may hold, once each: endpoint, region, path-style$/,
      },
      {
        name: "the address of a server in its place",
        words: ["--artifacts", "https://bucket.example"],
        code: 2,
        says: /--artifacts: expected s3:\/\/bucket/,
      },
    ])
    // A command that opens no bucket needs none of it.
    const listed = await world.run(["keys", "list"], { environment: withoutKeys })
    assert.deepEqual([listed.code, listed.stderr], [0, ""])
  })

  test("where it does not exist, can't be written or does not answer", async (t) => {
    const world = await createPostgresWorld(t)
    const denying = createServer((_, response) => {
      response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>")
    })
    await using servers = new AsyncDisposableStack()
    servers.defer(() => void denying.close())
    denying.listen(0, "127.0.0.1")
    await once(denying, "listening")
    const { port } = denying.address() as AddressInfo
    const at = (to: number): readonly string[] => [
      "--artifacts",
      `s3://artifacts?endpoint=http://127.0.0.1:${to}`,
    ]
    await assertAllRefused(world, [
      {
        name: "no such bucket",
        words: ["--artifacts", world.bucket.replace("artifacts", "elsewhere")],
        code: 1,
        says: /The bucket failed: .*404 NoSuchBucket/,
      },
      {
        name: "no right to write",
        words: at(port),
        code: 1,
        says: /The bucket failed: .*403 AccessDenied/,
      },
      {
        name: "nobody there",
        words: at(1),
        code: 1,
        says: /The bucket failed: .*ECONNREFUSED/,
        isLogged: true,
      },
      {
        name: "a folder that can't be made",
        words: ["--artifacts", join(import.meta.filename, "artifacts")],
        code: 1,
        says: /can't be made \(ENOTDIR\)/,
      },
    ])
  })
})
