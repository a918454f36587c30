//! The intermediate representation: what a function does with values, as owned data.
//!
//! Every function, constant and type of a parsed file is lowered once, by [`lower`], into the types of this module.
//! Nothing here holds syntax-tree nodes or compiler spans: places are a file and a byte range, so that a file's syntax tree is
//! dropped as soon as the file is lowered, and everything is `Send`.
//! A body is an arena of expressions; regions are structured (blocks, branches, loops with results), there is no control-flow graph.
//! `if`, `if let`, let-chains, `match` and `matches!` are all one [`Op::Branch`]; shadowing gives a new [`LocalId`]; `while` is a
//! [`Op::Loop`] with a branch that breaks.

pub mod lower;

use std::sync::Arc;

/// An identifier, a method's name, a segment of a path; cheap to clone.
pub type Name = Arc<str>;

/// The place of a file in [`crate::workspace::Workspace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A byte range of a file, counted from the file's first byte (a BOM and a shebang line count).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`, which is in the same file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.end), ..self }
    }

    /// Whether the other lies in it, or is it.
    pub fn holds(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// A type as it was written. Nothing is inferred here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `Option<Duration>`, `std::time::Duration`, `Self`, a generic parameter, `<T as Trait>::Output` (its last segment).
    Path {
        /// The segments as written.
        path: Arc<[Name]>,
        /// The generic type arguments of the last segment (for `Fn(A) -> B`, the inputs and then the output).
        arguments: Arc<[Type]>,
    },
    /// `&T`.
    Reference(Arc<Type>),
    /// `&mut T`.
    MutableReference(Arc<Type>),
    /// `(A, B)`; the unit type is the empty tuple.
    Tuple(Arc<[Type]>),
    /// `[T]` and `[T; N]`.
    Slice(Arc<Type>),
    /// `impl A + B` and `dyn A + B`: the bounds.
    Bounds(Arc<[Type]>),
    /// `fn(A) -> B`.
    Function(Arc<[Type]>, Option<Arc<Type>>),
    /// `_`, `!`, pointers, macros and whatever else.
    Other,
}

impl Type {
    /// The type below references, `Box`, `Rc`, `Arc` and `Pin`.
    pub fn peeled(&self) -> &Type {
        match self {
            Type::Reference(inner) | Type::MutableReference(inner) => inner.peeled(),
            Type::Path { path, arguments }
                if arguments.len() == 1
                    && matches!(path.last().map(|n| &**n), Some("Box" | "Rc" | "Arc" | "Pin" | "Cow")) =>
            {
                arguments[0].peeled()
            }
            other => other,
        }
    }

    /// The last segment of a path type, below references and smart pointers.
    pub fn last_segment(&self) -> Option<&str> {
        match self.peeled() {
            Type::Path { path, .. } => path.last().map(|n| &**n),
            _ => None,
        }
    }

    /// The generic type arguments of a path type, below references and smart pointers.
    pub fn arguments(&self) -> &[Type] {
        match self.peeled() {
            Type::Path { arguments, .. } => arguments,
            _ => &[],
        }
    }
}

/// A path in an expression or pattern, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The segments: `Duration::from_secs` has two. `<Vec<T>>::new` and `<T as Trait>::f` have the type in `of` and the rest here.
    pub segments: Vec<Name>,
    /// The type of a qualified path `<T>::f` or `<T as Trait>::f`.
    pub of: Option<Box<Type>>,
    /// Generic type arguments written anywhere in the path (a turbofish).
    pub generics: Vec<Type>,
}

impl Path {
    /// The last segment, or an empty text.
    pub fn last(&self) -> &str {
        self.segments.last().map_or("", |n| n)
    }
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// An integer; a literal above `i128::MAX` is lowered as a float.
    Integer(i128),
    /// A float.
    Float(f64),
    /// `"text"`, and `c"text"`.
    Text(Name),
    /// `b"bytes"`.
    Bytes(Arc<[u8]>),
    /// `b'x'`.
    Byte(u8),
    /// `'x'`.
    Character(char),
    /// `true` or `false`.
    Bool(bool),
}

/// The place of an expression in its function's arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A variable of a function, its closures included. Each binding has its own, so shadowing needs no care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; `self` for the receiver.
    pub name: Name,
    /// The type that was written at its binding, if any.
    pub ty: Option<Type>,
}

/// One expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it does.
    pub op: Op,
    /// The whole expression.
    pub span: Span,
}

/// What an expression does.
#[derive(Clone, Debug)]
pub enum Op {
    /// A literal.
    Literal(Literal),
    /// A path that names no local variable: a constant, a static, a function, a unit struct, a variant.
    Path(Path),
    /// A local variable.
    Local(LocalId),
    /// `callee(arguments)`; tuple structs and variants too.
    Call {
        /// A [`Op::Path`] most often.
        callee: ExprId,
        /// In order.
        arguments: Vec<ExprId>,
    },
    /// `receiver.name::<generics>(arguments)`.
    Method {
        /// The receiver.
        receiver: ExprId,
        /// The method's name.
        name: Name,
        /// Where the name stands.
        name_span: Span,
        /// The turbofish.
        generics: Vec<Type>,
        /// Without the receiver.
        arguments: Vec<ExprId>,
    },
    /// `base.name`; tuple fields are named `0`, `1`.
    Field {
        /// The base.
        base: ExprId,
        /// The field.
        name: Name,
    },
    /// `base[index]`.
    Index {
        /// The base.
        base: ExprId,
        /// The index.
        index: ExprId,
    },
    /// `Path { fields, ..rest }`.
    Construct {
        /// The struct or variant.
        path: Path,
        /// The fields, shorthand ones as a local.
        fields: Vec<(Name, ExprId)>,
        /// The functional update.
        rest: Option<ExprId>,
    },
    /// `(a, b)`; the unit value is empty.
    Tuple(Vec<ExprId>),
    /// `[a, b]`, `vec![a, b]`.
    List(Vec<ExprId>),
    /// `[value; count]`, `vec![value; count]`.
    Repeat {
        /// The element.
        value: ExprId,
    },
    /// `from..to`, `from..=to`.
    Range {
        /// The start.
        from: Option<ExprId>,
        /// The end.
        to: Option<ExprId>,
        /// Whether the end belongs to it.
        inclusive: bool,
    },
    /// `value as ty`.
    Cast {
        /// The value.
        value: ExprId,
        /// The type.
        ty: Type,
    },
    /// `left op right`; `&&` and `||` are lazy.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
    },
    /// `!value`.
    Not(ExprId),
    /// `-value`.
    Negate(ExprId),
    /// `&value`, `&mut value`.
    Reference {
        /// Whether it is `&mut`.
        mutable: bool,
        /// The value.
        value: ExprId,
    },
    /// `*value`.
    Dereference(ExprId),
    /// Expressions in order; the value of the last one, or unit where `has_value` is false. Also `unsafe` and `const` blocks.
    Block {
        /// Statements and, last, the value.
        body: Vec<ExprId>,
        /// Whether the last one is the value (no semicolon).
        has_value: bool,
        /// `'label: { .. }`.
        label: Option<Name>,
    },
    /// `let pattern: ty = value else { otherwise };`
    Let {
        /// The pattern.
        pattern: Pattern,
        /// The annotation.
        ty: Option<Type>,
        /// None for `let x;`.
        value: Option<ExprId>,
        /// The diverging block of let-else.
        otherwise: Option<ExprId>,
    },
    /// `place = value`, `place += value`.
    Store {
        /// The place: a local, field, index or dereference.
        place: ExprId,
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The value.
        value: ExprId,
    },
    /// The arms are tried in order; the first whose pattern fits the scrutinee and whose conditions all hold gives the result.
    /// `if` without `else` gets a last arm that yields unit. A `match` guard is the arm's condition.
    Branch {
        /// The scrutinee of a `match`; None for `if`.
        scrutinee: Option<ExprId>,
        /// In order.
        arms: Vec<Arm>,
    },
    /// `loop`, and `while` (as a loop around a branch that breaks).
    Loop {
        /// `'label:`.
        label: Option<Name>,
        /// The body.
        body: ExprId,
    },
    /// `for pattern in iterator { body }`.
    For {
        /// `'label:`.
        label: Option<Name>,
        /// The pattern for each element.
        pattern: Pattern,
        /// What is iterated.
        iterator: ExprId,
        /// The body.
        body: ExprId,
    },
    /// `|parameters| body`; it shares the function's arena and locals, so captures are plain locals.
    Closure {
        /// The parameters.
        parameters: Vec<Parameter>,
        /// The body.
        body: ExprId,
        /// `async |..|`, or a closure whose body is an async block.
        is_async: bool,
    },
    /// `async { .. }`.
    Async(ExprId),
    /// `value.await`.
    Await(ExprId),
    /// `value?`.
    Try(ExprId),
    /// `return value`.
    Return(Option<ExprId>),
    /// `break 'label value`.
    Break {
        /// `'label`.
        label: Option<Name>,
        /// The value.
        value: Option<ExprId>,
    },
    /// `continue 'label`.
    Continue {
        /// `'label`.
        label: Option<Name>,
    },
    /// `panic!`, `todo!`, `unreachable!`, `bail!` is a Return instead; an assertion is a branch around it.
    Panic,
    /// `format!`, `write!` and the like: a text made of the pieces and the values.
    Format {
        /// The literal text with `{}` in the place of each value.
        template: Name,
        /// The values, inline ones (`{x}`) too, in the order of their placeholders.
        values: Vec<ExprId>,
        /// How each value is shown, as written after its colon: `?`, `.3`; most often nothing.
        styles: Vec<Name>,
        /// The writer of `write!`, else None.
        writer: Option<ExprId>,
    },
    /// `select!`, `join!`, `try_join!`: each arm may run; its pattern binds the future's output.
    Select(Vec<SelectArm>),
    /// A printing or logging macro: the values are computed and go nowhere.
    Discard(Vec<ExprId>),
    /// What could not be lowered; the children are still evaluated.
    Opaque {
        /// Why.
        reason: OpaqueReason,
        /// What could still be lowered of it.
        children: Vec<ExprId>,
    },
}

/// An arm of a [`Op::Branch`].
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern against the scrutinee; None where there is no scrutinee.
    pub pattern: Option<Pattern>,
    /// All must hold, from left to right; later ones see what earlier ones bind.
    pub conditions: Vec<Condition>,
    /// The result.
    pub body: ExprId,
    /// The arm, from its pattern or condition to its end.
    pub span: Span,
}

/// `value` holds (is true), or `let pattern = value` fits.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The value.
    pub value: ExprId,
    /// The pattern of a `let` condition; None for a plain boolean.
    pub pattern: Option<Pattern>,
}

/// An arm of `select!`.
#[derive(Clone, Debug)]
pub struct SelectArm {
    /// What the output is matched with.
    pub pattern: Option<Pattern>,
    /// The future.
    pub future: ExprId,
    /// The arm's body; None for `join!`.
    pub body: Option<ExprId>,
}

/// A pattern.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `_`, and what could not be lowered.
    Wild,
    /// `..` in a tuple or slice.
    Rest,
    /// `name`, `ref name`, `name @ pattern`.
    Bind(LocalId, Option<Box<Pattern>>),
    /// A literal, negative numbers included.
    Literal(Literal),
    /// A constant, unit struct or unit variant; an identifier that starts with an upper-case letter counts as one.
    Path(Path),
    /// `Path(a, b, ..)`.
    TupleStruct(Path, Vec<Pattern>),
    /// `Path { a, b: pattern, .. }`.
    Struct(Path, Vec<(Name, Pattern)>),
    /// `(a, b)`.
    Tuple(Vec<Pattern>),
    /// `[a, b]`.
    Slice(Vec<Pattern>),
    /// `a | b`; the same name in each alternative is the same local.
    Or(Vec<Pattern>),
    /// `from..=to`; an end that is a path to a constant is kept as such.
    Range {
        /// The start, None for `..=to`.
        from: Option<Box<Pattern>>,
        /// The end, None for `from..`.
        to: Option<Box<Pattern>>,
        /// Whether the end belongs to it.
        inclusive: bool,
    },
    /// `&pattern`, `box pattern`.
    Reference(Box<Pattern>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the operator of its name")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

/// Why something is opaque.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueReason {
    /// A macro that is not known and whose tokens are neither items nor expressions.
    Macro(Name),
    /// Syntax that the lowering does not model (inline assembly, for one).
    Syntax(Name),
    /// The lowering's own budget of depth or size.
    Budget,
}

/// A parameter of a function or closure.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// What it binds.
    pub pattern: Pattern,
    /// Its type; None for a closure's untyped parameter. The receiver has `Self`, in a reference where it is one.
    pub ty: Option<Type>,
}

/// The place of a function in [`crate::module::Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);
/// The place of a type in [`crate::module::Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);
/// The place of a constant or static in [`crate::module::Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantId(pub u32);
/// The place of a scope (a module or a block with items of its own) in [`crate::module::Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(pub u32);

/// A function or method, lowered.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Where its name stands.
    pub name_span: Span,
    /// The whole item.
    pub span: Span,
    /// The scope its paths are resolved in: that of the items in its own blocks, if it has any.
    pub scope: ScopeId,
    /// The scope it is declared in.
    pub home: ScopeId,
    /// The `impl` or trait it stands in.
    pub owner: Owner,
    /// Parameters, the receiver first.
    pub parameters: Vec<Parameter>,
    /// Whether the first parameter is `self`.
    pub has_receiver: bool,
    /// The return type; None for unit. An `async fn`'s is the type written.
    pub output: Option<Type>,
    /// Generic type parameters by name, with the bounds written in the list or the where-clause.
    pub generics: Vec<(Name, Vec<Type>)>,
    /// Whether it is visible outside its crate as far as its own `pub` goes (`pub(crate)` is not).
    pub is_public: bool,
    /// Whether it is `async`.
    pub is_async: bool,
    /// Whether it belongs to tests: `#[test]`-like attributes, or under `#[cfg(test)]`.
    pub is_test: bool,
    /// None for a required trait method and for foreign functions.
    pub body: Option<Body>,
}

/// What a function stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A module or block.
    Free,
    /// `impl Type`.
    Inherent(Type),
    /// `impl Trait for Type`.
    TraitImpl {
        /// The trait, with its generic arguments: `From<&HeaderMap>`.
        of: Type,
        /// The type.
        ty: Type,
    },
    /// The trait's own (default) method.
    Trait(Name),
}

impl Owner {
    /// The `Self` type of an impl.
    pub fn self_type(&self) -> Option<&Type> {
        match self {
            Owner::Inherent(ty) | Owner::TraitImpl { ty, .. } => Some(ty),
            _ => None,
        }
    }
}

/// A function's code.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// All expressions, those of closures too.
    pub exprs: Vec<Expr>,
    /// All variables, those of closures too.
    pub locals: Vec<Local>,
    /// The whole body's expression.
    pub root: Option<ExprId>,
    /// Last segments of paths called and names of methods called, sorted, without duplicates.
    pub calls: Vec<Name>,
    /// Names of fields read (or bound by struct patterns), sorted, without duplicates.
    pub fields: Vec<Name>,
}

impl Body {
    /// The expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The expression and all those in it, each before what it holds, in the order they were written in.
    pub fn below(&self, id: ExprId) -> impl Iterator<Item = ExprId> + '_ {
        let mut stack = vec![id];
        std::iter::from_fn(move || {
            let id = stack.pop()?;
            let first = stack.len();
            self.expr(id).op.for_each_child(|child| stack.push(child));
            stack[first..].reverse();
            Some(id)
        })
    }
}

/// A constant or static; its value is a body without parameters.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name.
    pub name: Name,
    /// The whole item.
    pub span: Span,
    /// The scope its paths are resolved in: that of the items in its own blocks, if it has any.
    pub scope: ScopeId,
    /// The scope it is declared in.
    pub home: ScopeId,
    /// The `impl` or trait it stands in.
    pub owner: Owner,
    /// Its type.
    pub ty: Type,
    /// Its value; None for a trait's required constant.
    pub body: Option<Body>,
    /// Whether it is `pub`.
    pub is_public: bool,
}

/// A struct, enum, union or type alias.
#[derive(Clone, Debug)]
pub struct TypeItem {
    /// Its name.
    pub name: Name,
    /// The whole item.
    pub span: Span,
    /// The scope its paths are resolved in.
    pub scope: ScopeId,
    /// What it is.
    pub kind: TypeKind,
    /// The derives, last segments.
    pub derives: Vec<Name>,
    /// Whether it is `pub`.
    pub is_public: bool,
}

/// What a type item is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A struct, its fields (tuple fields are `0`, `1`).
    Struct(Vec<FieldItem>),
    /// An enum, its variants.
    Enum(Vec<VariantItem>),
    /// `type Name = Type;`
    Alias(Type),
    /// A trait: the names of its methods.
    Trait(Vec<Name>),
}

/// A field of a struct or variant.
#[derive(Clone, Debug)]
pub struct FieldItem {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Whether it is `pub` (a variant's always is).
    pub is_public: bool,
    /// The text of its `#[serde(..)]` attributes, joined; empty without.
    pub serde: String,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub struct VariantItem {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<FieldItem>,
}

/// An `impl` block. Its functions and constants name it as their [`Owner`]; it matters by itself where a trait's defaults suffice.
#[derive(Clone, Debug)]
pub struct ImplItem {
    /// The scope its paths are resolved in.
    pub scope: ScopeId,
    /// The trait, with its generic arguments; None for an inherent one.
    pub of: Option<Type>,
    /// The type.
    pub ty: Type,
}

/// A module, or a block with `use` lines or items of its own.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The enclosing scope; None for a file's own (its module path is then in `module`).
    pub parent: Option<ScopeId>,
    /// The index of the package.
    pub package: u32,
    /// The module path from the crate's root, without the crate's name: `["client", "retry"]`.
    pub module: Vec<Name>,
    /// Whether it is a block inside a function, so that names not found go on to the parent.
    pub is_block: bool,
    /// Whether it is under `#[cfg(test)]`, or in a tests, benches or examples folder.
    pub is_test: bool,
    /// Its `use` items, flattened: one for each leaf.
    pub uses: Vec<Use>,
}

/// One leaf of a `use` item.
#[derive(Clone, Debug)]
pub struct Use {
    /// The full path as written, `self` leaves resolved to their module.
    pub path: Vec<Name>,
    /// The name it has here; None for a glob.
    pub name: Option<Name>,
    /// Whether it is re-exported (any `pub`).
    pub is_public: bool,
}

/// All that one file lowers to. Ids in it are local to the file until [`crate::module::Program`] takes it in.
#[derive(Clone, Debug, Default)]
pub struct FileIr {
    /// Scopes; the first is the file's own module.
    pub scopes: Vec<Scope>,
    /// Functions, nested ones too.
    pub functions: Vec<Function>,
    /// Constants and statics, associated ones too.
    pub constants: Vec<Constant>,
    /// Types and traits.
    pub types: Vec<TypeItem>,
    /// All `impl` blocks, those without functions too.
    pub impls: Vec<ImplItem>,
    /// `mod name;` lines with a `#[path]`: the scope, the name, the path as written.
    pub path_modules: Vec<(ScopeId, Name, String)>,
    /// `mod name;` lines under `#[cfg(test)]`: the scope and the name.
    pub test_modules: Vec<(ScopeId, Name)>,
    /// What could not be lowered, for the statistics.
    pub opaque: Vec<(Span, OpaqueReason)>,
}

impl Op {
    /// Calls `visit` with each expression directly below this one, in the order in which they run; a closure's body too.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        let visit = &mut visit;
        match self {
            Op::Literal(_) | Op::Path(_) | Op::Local(_) | Op::Continue { .. } | Op::Panic => {}
            Op::Call { callee, arguments } => {
                visit(*callee);
                arguments.iter().copied().for_each(visit);
            }
            Op::Method { receiver, arguments, .. } => {
                visit(*receiver);
                arguments.iter().copied().for_each(visit);
            }
            Op::Field { base: value, .. }
            | Op::Repeat { value }
            | Op::Cast { value, .. }
            | Op::Not(value)
            | Op::Negate(value)
            | Op::Reference { value, .. }
            | Op::Dereference(value)
            | Op::Async(value)
            | Op::Await(value)
            | Op::Try(value)
            | Op::Loop { body: value, .. }
            | Op::Closure { body: value, .. } => visit(*value),
            Op::Index { base: first, index: second }
            | Op::Binary { left: first, right: second, .. }
            | Op::For { iterator: first, body: second, .. } => {
                visit(*first);
                visit(*second);
            }
            Op::Store { place, value, .. } => {
                visit(*value);
                visit(*place);
            }
            Op::Construct { fields, rest, .. } => {
                fields.iter().map(|(_, value)| *value).chain(*rest).for_each(visit);
            }
            Op::Tuple(values)
            | Op::List(values)
            | Op::Discard(values)
            | Op::Block { body: values, .. }
            | Op::Opaque { children: values, .. } => {
                values.iter().copied().for_each(visit);
            }
            Op::Range { from: first, to: second, .. } | Op::Let { value: first, otherwise: second, .. } => {
                first.iter().chain(second).copied().for_each(visit)
            }
            Op::Branch { scrutinee, arms } => {
                scrutinee.iter().copied().for_each(&mut *visit);
                for arm in arms {
                    arm.conditions.iter().map(|condition| condition.value).for_each(&mut *visit);
                    visit(arm.body);
                }
            }
            Op::Return(value) | Op::Break { value, .. } => value.iter().copied().for_each(visit),
            Op::Format { values, writer, .. } => values.iter().chain(writer).copied().for_each(visit),
            Op::Select(arms) => {
                for arm in arms {
                    visit(arm.future);
                    arm.body.iter().copied().for_each(&mut *visit);
                }
            }
        }
    }
}

/// Whether the name is that of a primitive type of numbers.
pub fn is_number_type(name: &str) -> bool {
    matches!(
        name,
        "u8" | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "f32"
            | "f64"
    )
}
