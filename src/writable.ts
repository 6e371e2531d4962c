/** For code that fills the fields of an object one by one. */
export type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };
