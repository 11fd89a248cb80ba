/** Forms as programs write them, and as nobody should, before a real service. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import sharp from "sharp"
import { EDIT, startDoor, type Door, type Opened } from "./open-door.ts"

let door: Door
let opened: Opened
let png: string
before(async () => {
  door = await startDoor()
  opened = await door.open()
  const create = { width: 64, height: 64, channels: 3, background: "red" } as const
  png = (await sharp({ create }).png().toBuffer()).toString("latin1")
})
after(() => door[Symbol.asyncDispose]())

/** `text` has a character for each byte. */
async function send(text: string, boundary = "b"): Promise<unknown[]> {
  const { apiKey, baseURL } = opened
  const answer = await fetch(`${baseURL}/images/edits`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
    },
    body: Buffer.from(text, "latin1"),
  })
  const { error } = (await answer.json()) as { error?: { code: string; param?: string | null } }
  return [answer.status, error?.code ?? "", error?.param ?? ""]
}

function part(head: string, content: string, boundary = "b"): string {
  return `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`
}

function field(name: string, content: string, boundary?: string): string {
  return part(`Content-Disposition: form-data; name="${name}"`, content, boundary)
}

const FILE = `Content-Disposition: form-data; name="image"; filename="a.png"`

function toForm(boundary?: string, more = ""): string {
  const image = part(FILE, png, boundary)
  const texts = field("model", EDIT, boundary) + field("prompt", "snow", boundary)
  return `${texts}${more}${image}--${boundary ?? "b"}--\r\n`
}

const REFUSED = [400, "malformed_request", ""]
const TAKEN = [200, "", ""]

describe("a form is read", () => {
  it("with every boundary that RFC 2046 knows", async () => {
    for (const boundary of ["x".repeat(70), "a'()+_,-./:=?b", "--", "a b"]) {
      const written = /[^\w-]/.test(boundary) ? `"${boundary}"` : boundary
      // oxlint-disable-next-line no-await-in-loop
      assert.deepEqual(await send(toForm(boundary), `${written}; charset=utf-8`), TAKEN, boundary)
    }
    assert.deepEqual((await send(toForm("x".repeat(71)), "x".repeat(71)))[0], 415)
  })

  it("as other programs write its parts", async () => {
    for (const head of [
      "Content-Type: image/png\r\ncontent-disposition: form-data; name=image; filename=a.png; filename*=utf-8''a.png",
      'Content-Disposition:form-data;name="image";filename="a\\"b; name=x.png"\r\nContent-Transfer-Encoding: binary',
      'Content-Disposition: form-data; filename="\xe9.png"; name="image"\r\nContent-Length: 1',
      'content-disposition: FORM-DATA ; NAME="image" ; filename=""',
    ]) {
      const form = `before\r\n--b \t\r\n${head}\r\n\r\n${png}\r\n`
      const texts = field("model", EDIT) + field("prompt", "in \xc3\xa9")
      // oxlint-disable-next-line no-await-in-loop
      assert.deepEqual(await send(`${form}${texts}--b--\r\nafter`), TAKEN, head)
    }
  })

  it("where its content begins as the delimiter does", async () => {
    const inside = `snow\r\n--boundar\r\n--boundaryx\r\n-- boundary\r\n--boundary-\r\nsnow --boundary`
    const form = field("note", inside, "boundary") + toForm("boundary")
    assert.deepEqual(await send(form, "boundary"), [400, "unknown_parameter", "note"])
  })
})

describe("a form is refused", () => {
  it("whose parts are more than may be, whatever its boundary looks like", async () => {
    const many = field("a", "", "ab").repeat(101)
    assert.deepEqual((await send(`${many}--ab--`, "ab")).slice(0, 2), REFUSED.slice(0, 2))
    assert.deepEqual((await send(`${many}--ab--`, '"a\\b"'))[0], 415)
  })

  it("whose texts are no UTF-8, which nobody has asked for", async () => {
    assert.deepEqual(await send(toForm("b", field("user", "caf\xe9"))), REFUSED)
    const head = 'content-disposition: form-data; name="user"\r\ncontent-type: text/plain'
    assert.deepEqual(await send(toForm("b", part(`${head}; charset=iso-8859-1`, "x"))), REFUSED)
    assert.deepEqual(await send(toForm("b", part(`${head}; charset=utf-8`, "x"))), TAKEN)
  })

  it("whose parts have heads without end, or texts of more than a message", async () => {
    const long = part(`${FILE}\r\nx-a: ${"a".repeat(10_000)}`, png)
    assert.deepEqual(await send(toForm("b", long)), REFUSED)
    const text = field("user", "x".repeat(3 * 1024 * 1024))
    assert.deepEqual(await send(toForm("b", text + text)), [413, "request_too_large", ""])
  })

  it("whose parts can be read in two ways, or in none", async () => {
    const bought = await opened.countTasks()
    for (const head of [
      'content-disposition: form-data; name="user"; name="prompt"',
      'content-disposition: form-data; name="user"\r\ncontent-disposition: form-data; name="x"',
      'content-disposition: form-data; name="user\r\nx: y"',
      "content-disposition: form-data; name*=utf-8''user",
      'content-disposition: attachment; name="user"',
      'content-disposition: form-data; name="user" x',
      'content-disposition: form-data; name="user"\r\n folded: x',
      'content-disposition: form-data; name="user"\r\ncontent-transfer-encoding: base64',
      "content-type: text/plain",
      "",
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      assert.deepEqual(await send(toForm("b", part(head, "eA=="))), REFUSED, head)
    }
    assert.deepEqual(await send(toForm("b", "--b\r\n")), REFUSED)
    assert.deepEqual(await send(toForm().replace("--b--", "--b-")), REFUSED)
    assert.deepEqual(await send(""), REFUSED)
    assert.equal(await opened.countTasks(), bought)
  })
})
