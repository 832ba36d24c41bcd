/**
 * Numbers in bytes, most significant byte first: what a DataView does, which takes longer to make
 * than a frame takes to read.
 */
export class ByteView {
  constructor(readonly bytes: Uint8Array) {}

  get byteLength(): number {
    return this.bytes.length;
  }

  getUint8(at: number): number {
    const { bytes } = this;
    if (at >= bytes.length) throw beyond(bytes, at);
    return bytes[at] ?? 0;
  }

  getUint16(at: number): number {
    const { bytes } = this;
    if (at + 1 >= bytes.length) throw beyond(bytes, at);
    return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  }

  getUint32(at: number): number {
    const { bytes } = this;
    if (at + 3 >= bytes.length) throw beyond(bytes, at);
    return (
      (((bytes[at] ?? 0) << 24) |
        ((bytes[at + 1] ?? 0) << 16) |
        ((bytes[at + 2] ?? 0) << 8) |
        (bytes[at + 3] ?? 0)) >>>
      0
    );
  }

  setUint8(at: number, value: number): void {
    const { bytes } = this;
    if (at >= bytes.length) throw beyond(bytes, at);
    bytes[at] = value;
  }

  setUint16(at: number, value: number): void {
    const { bytes } = this;
    if (at + 1 >= bytes.length) throw beyond(bytes, at);
    bytes[at] = value >>> 8;
    bytes[at + 1] = value;
  }

  setUint32(at: number, value: number): void {
    const { bytes } = this;
    if (at + 3 >= bytes.length) throw beyond(bytes, at);
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
  }
}

function beyond({ length }: Uint8Array, at: number): RangeError {
  return new RangeError(`a number at byte ${at} of ${length}`);
}
