// A clock that can be set: the `Date` of this process.
const RealDate = Date;
let shift = 0;

class SetDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shift;
  }
}

globalThis.Date = SetDate;

/** Moves the clock of this process, as an administrator or a time server does. */
export function stepClock(milliseconds) {
  shift += milliseconds;
}
