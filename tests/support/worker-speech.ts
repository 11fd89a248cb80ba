/** For a program that speaks to its host as a process of a pool does: JSON behind its length, over a pipe. */
export const WORKER_SPEECH = `
  const pipe = new (require("node:net").Socket)({ fd: 3, readable: true, writable: true })
  const say = (message) => {
    const body = Buffer.from(JSON.stringify(message))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    require("node:fs").writeSync(3, Buffer.concat([length, body]))
  }
  const onOrder = (work) => pipe.on("data", () => { say({ kind: "begun" }); work() })
`
