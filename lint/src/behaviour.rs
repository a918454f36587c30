//! Behaviour: what each header case becomes at each sink.

/// What the analysis found out about one workspace, for the rules to query.
pub struct Facts;
