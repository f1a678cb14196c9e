//! Finds what can be mutated in a source file: places, and what may stand there instead.
//!
//! Holds     sites nest or are apart, never overlap: each is an expression, a statement or the start of a body

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, ReturnType, Stmt, UnOp};

/// What takes a site's place while its mutant is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An expression, which has a value.
    Expression,
    /// A statement, which is left out.
    Statement,
    /// The place behind the brace that opens a function: it returns at once.
    Body,
}

/// One mistake.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    /// Its number in the crate, from 1.
    pub(crate) id: u32,
    pub(crate) line: usize,
    pub(crate) function: String,
    /// The source line, or what a statement is, and what the mutant makes of it.
    pub(crate) original: String,
    pub(crate) mutated: String,
    /// What stands at the site.
    pub(crate) text: String,
}

/// A place with its mutants.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) range: Range<usize>,
    pub(crate) shape: Shape,
    pub(crate) mutants: Vec<Mutant>,
}

/// What one file has.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) sites: Vec<Site>,
    /// Paths of `const fn`, and where their `const` stands: a switch cannot be read in them.
    pub(crate) const_fns: Vec<(String, Range<usize>)>,
    /// Modules in files of their own, without those for tests.
    pub(crate) modules: Vec<String>,
}

/// All that can be mutated in a source text. Numbers begin at `first`.
///
/// # Errors
/// If the text is not Rust.
pub(crate) fn find(source: &str, first: u32) -> syn::Result<Found> {
    let file = syn::parse_file(source)?;
    let mut finder = Finder { source, next: first, scope: Vec::new(), found: Found::default() };
    finder.visit_file(&file);
    finder.found.sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    Ok(finder.found)
}

struct Finder<'s> {
    source: &'s str,
    next: u32,
    /// Names of the impl, module and function that are being looked at.
    scope: Vec<String>,
    found: Found,
}

/// Methods that stand for each other.
const METHODS: [(&str, &str); 7] = [
    ("min", "max"),
    ("any", "all"),
    ("is_some", "is_none"),
    ("is_some_and", "is_none_or"),
    ("saturating_sub", "saturating_add"),
    ("wrapping_sub", "wrapping_add"),
    ("checked_sub", "checked_add"),
];
/// Constants that twice themselves are no other value, or none at all.
const UNDOUBLED: [&str; 5] = ["ZERO", "MAX", "MIN", "NEVER", "INFINITY"];

impl Finder<'_> {
    fn text(&self, range: Range<usize>) -> &str {
        &self.source[range]
    }

    /// At a site `whole`, `edit` becomes `instead`.
    fn edit(&mut self, shape: Shape, whole: Span, edit: Range<usize>, instead: &str) {
        let whole = whole.byte_range();
        let text = format!("{}{instead}{}", self.text(whole.start..edit.start), self.text(edit.end..whole.end));
        self.add(shape, whole, edit, instead, text);
    }

    fn add(&mut self, shape: Shape, whole: Range<usize>, edit: Range<usize>, instead: &str, text: String) {
        let start = self.source[..edit.start].rfind('\n').map_or(0, |n| n + 1);
        let end = self.source[edit.end..].find('\n').map_or(self.source.len(), |n| edit.end + n);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mutant = Mutant {
            id: self.next,
            line: self.source[..edit.start].matches('\n').count() + 1,
            function: self.scope.join("::"),
            original: words(self.text(start..end)),
            mutated: words(&format!("{}{instead}{}", self.text(start..edit.start), self.text(edit.end..end))),
            text,
        };
        self.next += 1;
        let sites = &mut self.found.sites;
        match sites.iter_mut().find(|site| site.range == whole && site.shape == shape) {
            Some(site) => site.mutants.push(mutant),
            None => sites.push(Site { range: whole, shape, mutants: vec![mutant] }),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) {
        let swaps: &[&str] = match binary.op {
            BinOp::Add(_) => &["-"],
            BinOp::Sub(_) => &["+"],
            BinOp::Mul(_) => &["/"],
            BinOp::Div(_) | BinOp::Rem(_) => &["*"],
            BinOp::And(_) => &["||"],
            BinOp::Or(_) => &["&&"],
            BinOp::BitAnd(_) | BinOp::BitXor(_) => &["|"],
            BinOp::BitOr(_) => &["&"],
            BinOp::Shl(_) => &[">>"],
            BinOp::Shr(_) => &["<<"],
            BinOp::Eq(_) => &["!="],
            BinOp::Ne(_) => &["=="],
            BinOp::Lt(_) => &["<=", ">="],
            BinOp::Le(_) => &["<", ">"],
            BinOp::Gt(_) => &[">=", "<="],
            BinOp::Ge(_) => &[">", "<"],
            BinOp::AddAssign(_) => &["-="],
            BinOp::SubAssign(_) => &["+="],
            BinOp::MulAssign(_) => &["/="],
            BinOp::DivAssign(_) => &["*="],
            BinOp::BitOrAssign(_) => &["&="],
            BinOp::BitAndAssign(_) => &["|="],
            _ => &[],
        };
        let (left, right) = (binary.left.span().byte_range(), binary.right.span().byte_range());
        for op in swaps {
            // An assignment's left side is a place, which brackets may not surround where it is dereferenced.
            let text = if op.ends_with('=') && op.len() == 2 && !["<=", ">=", "==", "!="].contains(op) {
                format!("{} {op} {}", self.text(left.clone()), self.text(right.clone()))
            } else {
                format!("({}) {op} ({})", self.text(left.clone()), self.text(right.clone()))
            };
            self.add(Shape::Expression, binary.span().byte_range(), binary.op.span().byte_range(), op, text);
        }
    }

    fn literal(&mut self, literal: &syn::ExprLit) {
        let instead = match &literal.lit {
            Lit::Int(int) => match int.base10_parse::<u128>() {
                Ok(n) => format!("{}{}", n + 1, int.suffix()),
                Err(_) => return,
            },
            Lit::Float(float) => match float.base10_parse::<f64>() {
                Ok(x) => format!("{:?}{}", if x == 0.0 { 1.0 } else { 2.0 * x }, float.suffix()),
                Err(_) => return,
            },
            Lit::Bool(bool) => (!bool.value).to_string(),
            _ => return,
        };
        self.edit(Shape::Expression, literal.span(), literal.span().byte_range(), &instead);
    }

    /// A condition, unless it is one that a mutant of its own negates, or binds names.
    fn condition(&mut self, condition: &Expr) {
        let is_negated = match condition {
            Expr::Binary(b) => {
                matches!(b.op, BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_))
            }
            Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)),
            Expr::Macro(_) | Expr::Lit(_) => true,
            _ => false,
        };
        if !is_negated && !binds(condition) {
            let range = condition.span().byte_range();
            let negated = format!("!({})", self.text(range.clone()));
            self.edit(Shape::Expression, condition.span(), range, &negated);
        }
    }

    /// A function that returns at once what its type allows.
    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if let Some(constness) = &signature.constness {
            self.found.const_fns.push((self.scope.join("::"), constness.span().byte_range()));
        }
        let values: &[&str] = match &signature.output {
            ReturnType::Default => &[""],
            ReturnType::Type(_, of) => match self.text(of.span().byte_range()) {
                "bool" => &["true", "false"],
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" => &["0", "1"],
                "f32" | "f64" => &["0.0", "1.0"],
                text if text.starts_with("Option<") => &["None"],
                text if text.starts_with('&') || text.starts_with("impl ") || text == "!" => &[],
                _ => &["Default::default()"],
            },
        };
        let inside = block.brace_token.span.open().byte_range().end;
        let body = self.text(inside..block.brace_token.span.close().byte_range().start).trim().to_owned();
        for value in values.iter().filter(|&&value| value != body) {
            let text = format!("return {value};");
            let head = signature.ident.span().byte_range();
            let instead = format!("{} {{ {text} }}", self.text(head.clone()));
            self.add(Shape::Body, inside..inside, head, &instead, text);
        }
    }

    fn function(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        if is_for_tests(attributes) {
            return;
        }
        self.scope.push(signature.ident.to_string());
        self.body(signature, block);
        visit::visit_block(self, block);
        self.scope.pop();
    }
}

/// Whether a condition has a `let` that the branch sees.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(b) if matches!(b.op, BinOp::And(_)) => binds(&b.left) || binds(&b.right),
        _ => false,
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        meta => meta.path().is_ident("test"),
    })
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Binary(binary) if !binds(expr) => self.binary(binary),
            Expr::Lit(literal) => self.literal(literal),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                self.edit(Shape::Expression, unary.span(), unary.op.span().byte_range(), "");
            }
            Expr::Macro(call) if call.mac.path.is_ident("matches") => {
                let range = call.span().byte_range();
                let negated = format!("!{}", self.text(range.clone()));
                self.edit(Shape::Expression, call.span(), range, &negated);
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let swap = METHODS.iter().find_map(|&(a, b)| match () {
                    () if name == a => Some(b),
                    () if name == b => Some(a),
                    () => None,
                });
                if let Some(swap) = swap {
                    self.edit(Shape::Expression, call.span(), call.method.span().byte_range(), swap);
                }
            }
            Expr::Path(path) => {
                let name = path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
                let is_const = name.len() > 1 && name.chars().all(|c| matches!(c, 'A'..='Z' | '0'..='9' | '_'));
                if is_const && !UNDOUBLED.contains(&&*name) {
                    let range = path.span().byte_range();
                    let twice = format!("({0} + {0})", self.text(range.clone()));
                    self.edit(Shape::Expression, path.span(), range, &twice);
                }
            }
            Expr::If(it) => self.condition(&it.cond),
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr), // its length is a constant
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Expr(
            Expr::MethodCall(_)
            | Expr::Call(_)
            | Expr::Assign(_)
            | Expr::Return(_)
            | Expr::Break(_)
            | Expr::Continue(_),
            Some(_),
        ) = statement
        {
            self.edit(Shape::Statement, statement.span(), statement.span().byte_range(), "{}");
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_item_fn(&mut self, it: &'a syn::ItemFn) {
        self.function(&it.attrs, &it.sig, &it.block);
    }

    fn visit_impl_item_fn(&mut self, it: &'a syn::ImplItemFn) {
        self.function(&it.attrs, &it.sig, &it.block);
    }

    fn visit_trait_item_fn(&mut self, it: &'a syn::TraitItemFn) {
        if let Some(block) = &it.default {
            self.function(&it.attrs, &it.sig, block);
        }
    }

    fn visit_item_impl(&mut self, it: &'a syn::ItemImpl) {
        let of = it.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()).map(|s| s.ident.to_string());
        if is_for_tests(&it.attrs) || of.is_some_and(|of| of == "Debug" || of == "Display") {
            return;
        }
        let name = match &*it.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
            _ => None,
        };
        self.scope.push(name.unwrap_or_else(|| "impl".to_owned()));
        visit::visit_item_impl(self, it);
        self.scope.pop();
    }

    fn visit_item_trait(&mut self, it: &'a syn::ItemTrait) {
        self.scope.push(it.ident.to_string());
        visit::visit_item_trait(self, it);
        self.scope.pop();
    }

    fn visit_item_mod(&mut self, it: &'a syn::ItemMod) {
        if is_for_tests(&it.attrs) {
        } else if it.content.is_none() {
            self.found.modules.push(it.ident.to_string());
        } else {
            self.scope.push(it.ident.to_string());
            visit::visit_item_mod(self, it);
            self.scope.pop();
        }
    }

    // What is computed while compiling, and what is no expression.
    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'a syn::TraitItemConst) {}
    fn visit_item_enum(&mut self, _: &'a syn::ItemEnum) {}
    fn visit_type(&mut self, _: &'a syn::Type) {}
    fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}
    fn visit_pat(&mut self, _: &'a syn::Pat) {}
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
    fn visit_macro(&mut self, _: &'a syn::Macro) {}
}
