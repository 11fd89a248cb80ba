/** What the names of saved files end with. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { toFileExtension } from "@safelight/client"

describe("the extension of a file", () => {
  it("is that of its type, whatever its parameters and case", () => {
    const types = ["image/jpeg", "audio/ogg; codecs=opus", "Text/Plain", "model/gltf-binary"]
    assert.deepEqual(types.map(toFileExtension), ["jpg", "ogg", "txt", "glb"])
  })

  it("says nothing of a type that is not known", () => {
    for (const type of ["", "constructor", "application/x-msdownload", "text/html"]) {
      assert.equal(toFileExtension(type), "bin")
    }
  })
})
