/** The rules of a bucket's lifecycle, as Amazon writes them: which are named, and that none is where none is told. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { findHarmfulRules, type HarmfulRule } from "@safelight/artifacts-s3"
import { serve } from "../../support/misbehaving-server.ts"
import { CREDENTIALS, refuse } from "./bucket-server.ts"

async function find(
  context: TestContext,
  rules: string | readonly [number, string],
): Promise<readonly HarmfulRule[]> {
  const asked: (string | undefined)[] = []
  const { origin: endpoint } = await serve(context, ({ url }, response) => {
    asked.push(url)
    if (typeof rules === "string") {
      response.end(`<LifecycleConfiguration>${rules}</LifecycleConfiguration>`)
    } else refuse(response, ...rules)
  })
  const location = { bucket: "artifacts", endpoint, prefix: "one/two" }
  const found = await findHarmfulRules({ ...location, credentials: CREDENTIALS })
  assert.deepEqual(asked, ["/artifacts/?lifecycle="])
  return found
}

function rule(more: string, status = "Enabled"): string {
  return `<Rule><ID>mine</ID><Status>${status}</Status>${more}</Rule>`
}

const EXPIRES = "<Expiration><Days>30</Days></Expiration>"
const ALL = "<Filter></Filter>"

function moves(storageClass: string): string {
  const days = "<Days>30</Days>"
  return `${ALL}<Transition>${days}<StorageClass>${storageClass}</StorageClass></Transition>`
}

const TAG = "<Tag><Key>a</Key><Value>b</Value></Tag>"
const HARMFUL: Readonly<Record<string, readonly [string, HarmfulRule["effect"]]>> = {
  "removes everything after some days": [ALL + EXPIRES, "removes"],
  "removes everything on a day": [
    `${ALL}<Expiration><Date>2027-01-01T00:00:00Z</Date></Expiration>`,
    "removes",
  ],
  "removes what is above the prefix": [
    `<Filter><Prefix>one/</Prefix></Filter>${EXPIRES}`,
    "removes",
  ],
  "removes what is below the prefix": [`<Prefix>one/two/e3/</Prefix>${EXPIRES}`, "removes"],
  "removes what is large below the prefix": [
    `<Filter><And><Prefix>one/two/</Prefix><ObjectSizeGreaterThan>9</ObjectSizeGreaterThan></And></Filter>${EXPIRES}`,
    "removes",
  ],
  "moves to Glacier": [moves("GLACIER"), "archives"],
  "moves to the deepest archive": [moves("DEEP_ARCHIVE"), "archives"],
}

const SAFE: Readonly<Record<string, string>> = {
  "is off": rule(ALL + EXPIRES, "Disabled"),
  "removes under another prefix": rule(`<Filter><Prefix>one/twofold</Prefix></Filter>${EXPIRES}`),
  "removes what has a tag": rule(`<Filter>${TAG}</Filter>${EXPIRES}`),
  "removes what has tags": rule(
    `<Filter><And><Prefix>one/</Prefix>${TAG}</And></Filter>${EXPIRES}`,
  ),
  "removes markers of removed objects": rule(
    `${ALL}<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>`,
  ),
  "removes old versions": rule(
    `${ALL}<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration>`,
  ),
  "aborts uploads": rule(
    `${ALL}<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>`,
  ),
  "moves to a class that reads at once": rule(moves("STANDARD_IA") + moves("GLACIER_IR")),
}

const UNTOLD = [
  [403, "AccessDenied"],
  [404, "NoSuchLifecycleConfiguration"],
  [501, "NotImplemented"],
  [503, "SlowDown"],
] as const

describe("of the rules of a lifecycle", () => {
  for (const [name, [more, effect]] of Object.entries(HARMFUL)) {
    it(`one that ${name} is named`, async (t) => {
      assert.deepEqual(await find(t, rule(more)), [{ id: "mine", effect }])
    })
  }

  for (const [name, text] of Object.entries(SAFE)) {
    it(`one that ${name} is not named`, async (t) => {
      assert.deepEqual(await find(t, text), [])
    })
  }

  it("none is named where the bucket tells none", async (t) => {
    for (const answer of UNTOLD) assert.deepEqual(await find(t, answer), [])
  })
})
