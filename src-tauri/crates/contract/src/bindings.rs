//! Writes `ui/src/ipc/bindings.ts`: every type of the table, and one typed function signature a command.
//!
//! A test compares the committed file with what this writes; `make bindings` renews it.

use std::collections::BTreeMap;
use std::fmt::Write;

use ts_rs::{Config, TS, TypeVisitor};

use crate::commands::types::*;
use crate::for_each_command;

struct Declarations {
    config: Config,
    seen: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only our own types have an output path; `string`, `Array<T>` and the like have none.
        if T::output_path().is_some() {
            let name = T::ident(&self.config);
            if self.seen.contains_key(&name) {
                return;
            }
            self.seen.insert(name, format!("export {}", T::decl(&self.config)));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

macro_rules! write_bindings {
    (
        app { $($service:ident { $($(#[doc = $doc:literal])* $name:ident: $request:ty => $reply:ty;)* })* }
        streams {
            $($streaming:ident { $($(#[doc = $sdoc:literal])* $sname:ident: $srequest:ty => $sreply:ty, $event:ty;)* })*
        }
        host { $($(#[doc = $hdoc:literal])* $hname:ident: $hrequest:ty => $hreply:ty;)* }
    ) => {
        /// Names of all commands, in the order of the table.
        pub const COMMANDS: &[&str] = &[$($(stringify!($name),)*)* $($(stringify!($sname),)*)* $(stringify!($hname),)*];

        /// The whole TypeScript file.
        pub fn typescript() -> String {
            let mut types = Declarations { config: config(), seen: BTreeMap::new() };
            $($(types.visit::<$request>(); types.visit::<$reply>();)*)*
            $($(types.visit::<$srequest>(); types.visit::<$sreply>(); types.visit::<$event>();)*)*
            $(types.visit::<$hrequest>(); types.visit::<$hreply>();)*
            types.visit::<Failure>();
            types.visit::<Changed>();
            types.visit::<PathOffered>();

            let config = &types.config;
            let mut commands = String::new();
            $($(row(&mut commands, concat!($($doc),*), stringify!($name),
                    &<$request>::name(config), &<$reply>::name(config), None);)*)*
            $($(row(&mut commands, concat!($($sdoc),*), stringify!($sname),
                    &<$srequest>::name(config), &<$sreply>::name(config), Some(<$event>::name(config)));)*)*
            $(row(&mut commands, concat!($($hdoc),*), stringify!($hname),
                  &<$hrequest>::name(config), &<$hreply>::name(config), None);)*

            let mut file = String::from(
                "// Written by siltstone-contract from its table of commands; `make bindings` renews it. Do not edit.\n\n",
            );
            for declaration in types.seen.values() {
                file.push_str(declaration);
                file.push_str("\n\n");
            }
            file.push_str("/** Every command: what it takes, what it gives, and what it streams meanwhile. */\n");
            file.push_str("export interface Commands {\n");
            file.push_str(&commands);
            file.push_str("}\n");
            file
        }
    };
}

for_each_command!(write_bindings);

/// Ids, counts and sizes stay far below 2^53, so `number` holds them.
fn config() -> Config {
    Config::default().with_large_int("number")
}

fn row(out: &mut String, doc: &str, name: &str, request: &str, reply: &str, event: Option<String>) {
    let event = event.unwrap_or_else(|| String::from("never"));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "  /**{doc} */");
    let _ = writeln!(out, "  {name}: {{ request: {request}; reply: {reply}; event: {event} }};");
}
