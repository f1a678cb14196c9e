//! Compiles the programs that the kernel runs. Only with the feature `libbpf`: without it nothing is asked of the machine.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The least instruction set that has atomic operations and 32-bit jumps (Linux 5.12).
const CPU: &str = "-mcpu=v3";

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    println!("cargo:rerun-if-env-changed=CLANG");
    if env::var_os("CARGO_FEATURE_LIBBPF").is_none() {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let headers = env::var("DEP_BPF_INCLUDE").expect("libbpf-sys says where its headers are");
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let target =
        if env::var("CARGO_CFG_TARGET_ENDIAN").is_ok_and(|endian| endian == "big") { "bpfeb" } else { "bpfel" };
    let mut sources: Vec<_> =
        fs::read_dir("bpf").expect("the crate has a folder bpf").flatten().map(|e| e.path()).collect();
    sources.retain(|path| path.to_string_lossy().ends_with(".bpf.c"));
    sources.sort();
    for source in sources {
        let name = source.file_stem().expect("a file has a name").to_string_lossy().replace(".bpf", ".o");
        let ran = Command::new(&clang)
            .args(["-target", target, "-O2", "-g", CPU, "-Wall", "-Werror", "-Wno-unused-function", "-I", &headers])
            // Debugging information names sources by their places in the project.
            .arg(format!("-fdebug-prefix-map={headers}=libbpf"))
            .arg(format!("-fdebug-prefix-map={}=.", env::current_dir().expect("there is a folder").display()))
            .args(["-c".as_ref(), source.as_os_str(), "-o".as_ref(), out.join(name).as_os_str()])
            .status();
        match ran {
            Ok(status) if status.success() => {}
            Ok(_) => panic!("{clang} does not compile {}", source.display()),
            Err(error) => {
                panic!("cannot run {clang} ({error}): the feature libbpf needs it; on Debian: apt-get install clang")
            }
        }
    }
}
