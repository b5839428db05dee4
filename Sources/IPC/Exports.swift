// The public value types of the API: items, content types, outcomes, errors.
@_exported public import IPCModel
